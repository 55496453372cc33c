#include "analysis/worst/bounds/grid_schedule.hpp"

#include "analysis/states/explore/run_extremes.hpp"
#include "engine/base/random.hpp"
#include "tests/support/case_count.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

netgen::WarpsSpec random_grid(std::uint64_t seed, std::size_t most_sms) {
    CounterRandom random(seed, 0);
    netgen::WarpsSpec spec;
    spec.warps.assign(1 + random.below(2), {random.below(3), random.below(2), random.below(2)});
    spec.sms = 1 + random.below(static_cast<std::uint32_t>(most_sms));
    spec.blocks = 1 + random.below(7);
    spec.schedulers = 1 + random.below(2);
    spec.global_latency = 1 + random.below(5);
    return spec;
}

}  // namespace

TEST_CASE("grid schedule: a block's schedule on every SM is a run of the grid") {
    for (std::uint64_t seed = 0; seed < case_count(60); ++seed) {
        CAPTURE(seed);
        const netgen::WarpsSpec spec = random_grid(seed, 3);
        const Net grid = netgen::warps_net(spec), block = netgen::warps_net(netgen::one_block(spec));
        const states::RunExtremes extremes = states::run_extremes(compile(block));
        REQUIRE(extremes.longest);
        const Schedule schedule = worst::grid_schedule(spec, grid, block, extremes.longest_schedule);
        std::uint64_t firings = 0;
        for (const ScheduledStep& step : schedule) firings += step.transitions.size();
        CHECK(firings <= worst::grid_firings(spec, extremes.longest_schedule));
        const RunResult result = replay(compile(grid), grid, schedule, Semantics::maximal);
        CHECK(result.reason == StopReason::dead);
        CHECK(result.steps ==
              static_cast<std::uint64_t>(netgen::grid_steps(spec, static_cast<Tokens>(*extremes.longest))));
    }
}

TEST_CASE("grid schedule: no run of a grid is longer or shorter than its blocks allow") {
    std::size_t grids = 0;
    for (std::uint64_t seed = 0; seed < case_count(60); ++seed) {
        CAPTURE(seed);
        netgen::WarpsSpec spec = random_grid(seed, 2);
        spec.warps.resize(1);
        spec.blocks = std::min<Tokens>(spec.blocks, 4);
        const states::RunExtremes block =
            states::run_extremes(compile(netgen::warps_net(netgen::one_block(spec))));
        states::ExploreOptions options{.semantics = Semantics::maximal};
        options.max_states = 20'000;
        const states::RunExtremes grid = states::run_extremes(compile(netgen::warps_net(spec)), options);
        if (grid.stop != WorkEnd::complete) continue;
        ++grids;
        CHECK(*grid.longest ==
              static_cast<std::uint64_t>(netgen::grid_steps(spec, static_cast<Tokens>(*block.longest))));
        CHECK(*grid.shortest >=
              static_cast<std::uint64_t>(netgen::grid_steps(spec, static_cast<Tokens>(*block.shortest))));
    }
    CHECK(grids >= least_count(30));
}

TEST_CASE("recognise warps: every spec from its net") {
    for (std::uint64_t seed = 0; seed < case_count(60); ++seed) {
        CAPTURE(seed);
        const netgen::WarpsSpec spec = random_grid(seed, 3);
        const Net net = netgen::warps_net(spec);
        const auto found = netgen::recognise_warps(net);
        REQUIRE(found);
        CHECK(netgen::warps_net(*found).places().size() == net.places().size());
        CHECK(found->warps == spec.warps);
        CHECK(netgen::grid_steps(*found, 10) == netgen::grid_steps(spec, 10));
    }
}
