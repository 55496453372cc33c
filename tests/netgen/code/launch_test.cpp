#include "netgen/code/launch.hpp"

#include "engine/input/flag_items.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;

TEST_CASE("the blocks of a launch on the busiest SM of a device") {
    netgen::KernelProfile kernel = netgen::streaming_profile();
    kernel.blocks = 1000;
    kernel.threads = 256;
    const netgen::LaunchOnSm alone = netgen::launch_on_sm(kernel, netgen::DeviceInput{});
    CHECK(alone.block_warps == 8);
    CHECK(alone.warps() == 8);
    const netgen::LaunchOnSm launch =
        netgen::launch_on_sm(kernel, netgen::DeviceInput{.name = "GTX950", .file = {}});
    CHECK(launch.resident == 8);  // 64 warps of 6 SMs
    CHECK(launch.waves() == 21);  // of 167 blocks
    kernel.fp32 = 10;
    kernel.shared_loads = 3;
    kernel.loads.requests = 2;
    const netgen::CountedKernel counted = netgen::counted_kernel(kernel);
    CHECK(counted.counts == netgen::WarpCounts{10, 3, 2});
    netgen::WarpsSpec spec;
    netgen::add_warps(counted, launch, spec);
    CHECK(spec.warps == std::vector<netgen::WarpCounts>(64, counted.counts));
}

TEST_CASE("lists of flags give each name once") {
    netgen::PtxOptions options;
    netgen::parse_trips("$L1=64,#3=8", options);
    netgen::parse_shares("$L1=0.25", options);
    CHECK(options.trips.at("#3") == 8);
    CHECK(options.taken.at("$L1") == 0.25);
    CHECK_THROWS_WITH(netgen::parse_trips("$L1=2", options), "--trips: '$L1' is given twice");
    CHECK_THROWS_WITH(netgen::parse_shares("$L2=1,$L2=1", options), "--taken: '$L2' is given twice");
    CHECK_THROWS_WITH(netgen::parse_params("n=1,n=2", options), "--param: 'n' is given twice");
    CHECK_THROWS_AS(netgen::parse_shares("$L3=1.5", options), UsageError);
    CHECK_THROWS_AS(netgen::parse_trips("", options), UsageError);
    netgen::ProfileFields fields;
    netgen::parse_counts("fp32=40,loads=2", fields);
    CHECK(fields == netgen::ProfileFields{{"fp32", 40}, {"loads", 2}});
    CHECK_THROWS_WITH(netgen::parse_counts("fp32=1", fields), "--counts: 'fp32' is given twice");
    CHECK(netgen::parse_warp("200,50,20", 200) == netgen::WarpCounts{200, 50, 20});
    for (const char* wrong : {"", "1,2", "1,2,3,4", "1,2,x", "1,2,-3", "1,2,201"})
        CHECK_THROWS_AS(netgen::parse_warp(wrong, 200), UsageError);
    netgen::parse_block("16,8x2", options);
    netgen::parse_grid("7", options);
    CHECK(options.launch.block == std::array<std::int64_t, 3>{16, 8, 2});
    CHECK(options.launch.grid == std::array<std::int64_t, 3>{7, 1, 1});
    CHECK_THROWS_AS(netgen::parse_block("1024,2", options), UsageError);
}
