#include "netgen/blocks/task_set.hpp"

#include "engine/base/random.hpp"
#include "engine/net/error.hpp"
#include "netgen/sm/device.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/block_vectors.hpp"

#include <limits>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;
using Catch::Matchers::Contains;

TEST_CASE("task set: what a block takes") {
    netgen::Gpu gpu;
    netgen::Operation kernel = flat_kernel(1, 1, 1);
    kernel.threads = 140;
    kernel.registers = 33;
    // Five warps, [Paredes19] Fig. 2.4.
    CHECK(netgen::block_demand(gpu, kernel) == netgen::BlockDemand{160, 0, 160 * 33});
    // 33 registers for each of 32 threads are 1056, allocated as 1280.
    gpu.register_unit = 256;
    CHECK(netgen::block_demand(gpu, kernel) == netgen::BlockDemand{160, 0, 5 * 1280});
    gpu.warp_size = gpu.register_unit = 1;
    CHECK(netgen::block_demand(gpu, kernel) == netgen::BlockDemand{140, 0, 140 * 33});
}

TEST_CASE("task set: as many blocks fit as NVIDIA's occupancy calculator says") {
    for (const char* capability : {"3.5", "5.2", "6.2", "7.0", "7.5", "8.0", "8.6", "9.0", "12.0"}) {
        const netgen::SmLimits& limits = *netgen::find_limits(capability);
        netgen::TaskSet tasks;
        tasks.gpu.sms = {{limits.warps * 32, limits.blocks, limits.shared_bytes, limits.registers}};
        tasks.gpu.register_unit = limits.register_unit;
        tasks.gpu.compute_capability = capability;
        CounterRandom random(7, 1);
        for (int i = 0; i < 400; ++i) {
            netgen::Operation kernel = flat_kernel(1, 1, 1);
            kernel.threads = 1 + random.below(1100);
            kernel.registers = random.below(4) == 0 ? 0 : random.below(260);
            kernel.shared =
                random.below(2) == 0 ? 0 : random.below(static_cast<std::uint32_t>(limits.shared_bytes));
            tasks.operations = {kernel};
            INFO(capability << ": " << kernel.threads << " threads, " << kernel.registers << " registers, "
                            << kernel.shared << " bytes");
            std::int64_t expected = 0;
            const netgen::BlockShape shape{kernel.threads, kernel.registers, kernel.shared};
            if (input_error_of([&] { expected = netgen::resident_blocks(limits, shape); }, "").empty()) {
                CHECK(netgen::room_for(netgen::block_demand(tasks.gpu, kernel), tasks.gpu.sms.front()) ==
                      expected);
                CHECK(input_error_of([&] { netgen::validate(tasks); }, "").empty());
            } else {
                CHECK_FALSE(input_error_of([&] { netgen::validate(tasks); }, "").empty());
            }
        }
    }
}

TEST_CASE("task set: what fits on an SM") {
    CHECK(netgen::room_for({512, 0, 0}, {2048, 32, 0, 0}) == 4);
    CHECK(netgen::room_for({32, 0, 0}, {2048, 32, 0, 0}) == 32);
    CHECK(netgen::room_for({512, 49152, 0}, {2048, 32, 65536, 0}) == 1);
    CHECK(netgen::room_for({512, 0, 20'000}, {2048, 32, 65536, 65536}) == 3);
    CHECK(netgen::room_for({512, 1, 0}, {2048, 32, 0, 0}) == 0);
}

TEST_CASE("task set: jobs in launch order up to a horizon") {
    netgen::TaskSet tasks = flat_tasks(1, {{1, 1}, {1, 1}, {1, 1}});
    tasks.operations[0].period = 10;
    tasks.operations[1].period = 4;
    tasks.operations[1].release = 2;
    tasks.operations[2].release = 100;
    CHECK(netgen::hyperperiod(tasks) == std::optional<netgen::Time>(20));
    CHECK(netgen::release_horizon(tasks) == 120);
    CHECK(netgen::jobs_before(tasks, 20) ==
          std::vector<netgen::Job>{
              {0, 0, 0}, {1, 0, 2}, {1, 1, 6}, {0, 1, 10}, {1, 2, 10}, {1, 3, 14}, {1, 4, 18}, {2, 0, 100}});
    CHECK(netgen::job_count(tasks, 20) == 8);
    CHECK(netgen::job_count(tasks, 2) == 2);
    CHECK_THROWS_AS(netgen::jobs_before(tasks, 20, 7), InputError);
}

TEST_CASE("task set: impossible sets are refused") {
    netgen::TaskSet tasks = flat_tasks(8, {{4, 2}, {6, 7}});
    netgen::Operation& kernel = tasks.operations[1];
    const auto message = [&] { return input_error_of([&] { netgen::validate(tasks); }, "valid"); };
    REQUIRE(message() == "valid");
    SECTION("no kernels") {
        tasks.operations.clear();
        CHECK_THAT(message(), Contains("at least one kernel"));
    }
    SECTION("no SM") {
        tasks.gpu.sms.clear();
        CHECK_THAT(message(), Contains("at least one SM"));
    }
    SECTION("no blocks") {
        kernel.blocks = 0;
        CHECK_THAT(message(), Contains("kernel 'k2': expected blocks"));
    }
    SECTION("time that is not positive") {
        kernel.time = GENERATE(0, -3);
        CHECK_THAT(message(), Contains("expected time in 1.."));
    }
    SECTION("release before time began") {
        kernel.release = -1;
        CHECK_THAT(message(), Contains("expected release in 0.."));
    }
    SECTION("period zero") {
        kernel.period = 0;
        CHECK_THAT(message(), Contains("expected period in 1.."));
    }
    SECTION("negative deadline") {
        kernel.deadline = -1;
        CHECK_THAT(message(), Contains("expected deadline in 0.."));
    }
    SECTION("a block larger than every SM, though not than the GPU") {
        tasks.gpu.sms.assign(2, {2048, 32, 65536, 65536});
        kernel.threads = 2049;
        CHECK_THAT(message(), Contains("2049 threads") && Contains("fits on no SM"));
        kernel.threads = 2048;
        kernel.shared = 65537;
        CHECK_THAT(message(), Contains("fits on no SM"));
        kernel.shared = 0;
        kernel.registers = 33;
        CHECK_THAT(message(), Contains("67584 registers"));
        kernel.registers = 32;
        CHECK(message() == "valid");
    }
    SECTION("two of a name") {
        kernel.name = "k1";
        CHECK_THAT(message(), Contains("found it twice"));
    }
    SECTION("a stream of two priorities") {
        tasks.operations[0].stream = kernel.stream = 5;
        kernel.priority = 1;
        CHECK_THAT(message(), Contains("priority is a property of the stream"));
    }
    SECTION("a copy of several blocks") {
        kernel.kind = netgen::OperationKind::copy;
        CHECK_THAT(message(), Contains("copy 'k2'") && Contains("expected blocks 1"));
    }
    SECTION("a core that is kept for no task") {
        kernel.keeps_core = true;
        CHECK_THAT(message(), Contains("only a CPU segment keeps its core"));
        kernel.kind = netgen::OperationKind::cpu;
        kernel.blocks = 1;
        CHECK_THAT(message(), Contains("CPU segment 'k2'") && Contains("expected a CPU segment behind it"));
        netgen::Operation behind = kernel;
        behind.name = "behind";
        behind.keeps_core = false;
        kernel.stream = behind.stream = 1;
        tasks.operations.push_back(behind);
        CHECK(message() == "valid");
        tasks.operations.back().core = 1;
        CHECK_THAT(message(), Contains("same core"));
    }
    SECTION("work beyond 64 bits") {
        kernel.time = std::numeric_limits<netgen::Time>::max() / 4;
        CHECK_THAT(message(), Contains("64-bit number"));
    }
    SECTION("hyperperiod beyond 64 bits") {
        tasks.operations[0].period = (netgen::Time{1} << 40) - 87;
        kernel.period = (netgen::Time{1} << 40) - 167;
        CHECK_THAT(message(), Contains("least common multiple"));
    }
    SECTION("hyperperiod that fits with jobs that do not") {
        tasks.operations[0].period = netgen::Time{1} << 61;
        kernel.period = 1;
        CHECK_THAT(message(), Contains("64-bit number"));
    }
}
