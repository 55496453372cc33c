#include "netgen/cfg/unit_pool.hpp"

#include "engine/base/random.hpp"
#include "engine/net/error.hpp"
#include "engine/plan.hpp"
#include "netgen/cfg/net.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/cfg_samples.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;
using Catch::Matchers::Contains;

namespace {

netgen::SplitSet random_splits_of(const netgen::StructuredCfg& cfg, CounterRandom& random) {
    netgen::SplitSet splits(cfg.size(), false);
    const std::uint32_t one_in = 1 + random.below(3);
    for (const netgen::BlockId branch : cfg.branches()) splits[index(branch)] = random.below(one_in) == 0;
    return splits;
}

std::int64_t steps_of(const Net& net, std::uint64_t seed = 1) {
    RunOptions options;
    options.seed = seed;
    const RunResult result = run(compile(net), options);
    REQUIRE(result.reason == StopReason::dead);
    return static_cast<std::int64_t>(result.steps);
}

std::int64_t hand_over_steps(const netgen::StructuredCfg& cfg,
                             const std::vector<netgen::HandOver>& hand_overs) {
    const auto run = count_steps(netgen::hand_over_net(cfg, hand_overs));
    REQUIRE(run);  // no conflict
    const Net net = netgen::hand_over_net(cfg, hand_overs);
    const NodeIndex nodes(net);
    REQUIRE(run->marking[index(*nodes.place("end"))] == 1);
    return static_cast<std::int64_t>(run->steps);
}

// The graph with different times, none of them longer.
netgen::StructuredCfg with_shorter_times(const netgen::StructuredCfg& cfg, CounterRandom& random) {
    std::vector<netgen::CfgBlock> blocks(cfg.blocks().begin(), cfg.blocks().end());
    const std::uint32_t kind = random.below(3);
    for (netgen::CfgBlock& block : blocks) {
        const bool some = random.below(4) == 0;
        if (kind == 0 && some) block.time = random.below(static_cast<std::uint32_t>(block.time) + 1);
        if (kind == 1 && some) block.time = 0;
        if (kind == 2) block.time -= std::min<std::int64_t>(block.time, random.below(2));
    }
    return {blocks, {cfg.root().begin(), cfg.root().end()}};
}

// top=1 { a=11, x{10 | 10} | y{10 | 10}, b=10 }
netgen::StructuredCfg relay() {
    CfgSketch sketch;
    const auto pair = [&] {
        const netgen::BlockId left = sketch.block(10);
        const netgen::BlockId right = sketch.block(10);
        return sketch.branch(0, {left}, {right});
    };
    const netgen::BlockId a = sketch.block(11);
    const netgen::BlockId x = pair();
    const netgen::BlockId y = pair();
    const netgen::BlockId b = sketch.block(10);
    return sketch.build({sketch.branch(1, {a, x}, {y, b})});
}

}  // namespace

TEST_CASE("a unit that a side returns serves another branch: 22 steps with three units") {
    const netgen::StructuredCfg cfg = relay();
    netgen::SplitSet all(cfg.size(), false);
    for (const netgen::BlockId branch : cfg.branches()) all[index(branch)] = true;
    CHECK(netgen::unit_demand(cfg, all) == 4);
    CHECK(netgen::pool_demand(cfg, all) == 3);
    const netgen::PoolRun run = netgen::run_pool(cfg, all, 3);
    CHECK(run.wcet == 22);
    CHECK(run.taken == all);
    CHECK(run.peak == 3);
    // x has the unit of one side of y; top and y have units that were free from the start.
    REQUIRE(run.hand_overs.size() == 3);
    CHECK_FALSE(run.hand_overs[0].from);
    CHECK_FALSE(run.hand_overs[1].from);
    REQUIRE(run.hand_overs[2].from);
    CHECK(run.hand_overs[2].from->branch == run.hand_overs[1].to);
    CHECK(steps_of(netgen::pool_net(cfg, all, 3)) == 22);
    CHECK(hand_over_steps(cfg, run.hand_overs) == 22);
    // With two units the branches inside find the pool empty and run their sides in sequence.
    CHECK(netgen::run_pool(cfg, all, 2).wcet == 32);
    CHECK(steps_of(netgen::pool_net(cfg, all, 2)) == 32);
}

TEST_CASE("pooled annotations and hand-overs that fit no graph are refused") {
    const netgen::StructuredCfg cfg = relay();
    const netgen::SplitSet none(cfg.size(), false);
    CHECK_THROWS_WITH(netgen::run_pool(cfg, none, 0), Contains("got 0 units"));
    CHECK_THROWS_WITH(netgen::run_pool(cfg, netgen::SplitSet(2), 1), Contains("over 2 blocks"));
    const netgen::BlockId top = cfg.root().front(), a = cfg[top].true_side.front(),
                          x = cfg[top].true_side.back();
    netgen::SplitSet plain = none;
    plain[index(a)] = true;
    CHECK_THROWS_WITH(netgen::pool_net(cfg, plain, 2), Contains("'b1'") && Contains("no branch"));
    CHECK_THROWS_WITH(netgen::hand_over_net(cfg, std::vector<netgen::HandOver>{{a}}), Contains("no branch"));
    CHECK_THROWS_WITH(netgen::hand_over_net(cfg, std::vector<netgen::HandOver>{{top}, {top}}),
                      Contains("second"));
    CHECK_THROWS_WITH(
        netgen::hand_over_net(cfg, std::vector<netgen::HandOver>{{top, netgen::CfgSide{x, true}}}),
        Contains("does not split before"));
}

TEST_CASE("pooled units: the nets take the steps of the simulation, on 1,000 random graphs") {
    std::uint64_t refused = 0, reused = 0, fewer = 0;
    for (std::uint64_t seed = 1; seed <= case_count(1'000); ++seed) {
        CAPTURE(seed);
        const netgen::StructuredCfg cfg = random_cfg(seed, 12);
        CounterRandom random(seed, 6);
        const netgen::SplitSet splits = random_splits_of(cfg, random);
        const netgen::Units units = 1 + random.below(5);
        CAPTURE(units);
        const netgen::PoolRun pooled = netgen::run_pool(cfg, splits, units);
        REQUIRE(pooled.peak <= units);
        REQUIRE(steps_of(netgen::pool_net(cfg, splits, units), seed) == pooled.wcet);
        REQUIRE(hand_over_steps(cfg, pooled.hand_overs) == pooled.wcet);
        REQUIRE(netgen::run_pool(cfg, pooled.taken, units) == pooled);
        if (pooled.taken != splits) ++refused;
        for (const netgen::HandOver& hand_over : pooled.hand_overs) reused += hand_over.from ? 1U : 0U;

        const netgen::Units demand = netgen::pool_demand(cfg, splits);
        REQUIRE(demand <= netgen::unit_demand(cfg, splits));
        if (demand < netgen::unit_demand(cfg, splits)) ++fewer;
        REQUIRE(netgen::run_pool(cfg, splits, demand).taken == splits);
        if (demand > 1) REQUIRE(netgen::run_pool(cfg, splits, demand - 1).taken != splits);
    }
    CHECK(refused >= least_count(50));
    CHECK(reused >= least_count(50));
    CHECK(fewer >= least_count(20));
}

TEST_CASE("first come, first served can take longer if a block ends early, a fixed hand-over cannot") {
    // top=1 { 2 | x=38 { 62 | 54 } }, two units: x takes over the unit of the short side at 39 and ends at
    // 101.
    const auto graph = [](std::int64_t time_of_x) {
        CfgSketch sketch;
        const netgen::BlockId left = sketch.block(62), right = sketch.block(54), early = sketch.block(2);
        const netgen::BlockId x = sketch.branch(time_of_x, {left}, {right});
        return sketch.build({sketch.branch(1, {early}, {x})});
    };
    const netgen::StructuredCfg cfg = graph(38), shorter = graph(0);
    const netgen::SplitSet splits = {false, false, false, true, true};
    const netgen::PoolRun pooled = netgen::run_pool(cfg, splits, 2);
    CHECK(pooled.wcet == 101);
    // x reaches its branch at 1, before that unit is free, and runs its sides in sequence: 1 + 62 + 54.
    CHECK(netgen::run_pool(shorter, splits, 2).wcet == 117);
    CHECK(steps_of(netgen::pool_net(shorter, splits, 2)) == 117);
    // With the hand-over, x waits until 3.
    CHECK(hand_over_steps(shorter, pooled.hand_overs) == 65);
}

TEST_CASE("a fixed hand-over never takes longer if blocks end early, on 1,000 random graphs") {
    std::uint64_t anomalies = 0;
    for (std::uint64_t seed = 1; seed <= case_count(1'000); ++seed) {
        CAPTURE(seed);
        const netgen::StructuredCfg cfg = random_cfg(seed, static_cast<std::uint32_t>(8 + seed % 20));
        CounterRandom random(seed, 7);
        const netgen::SplitSet splits = random_splits_of(cfg, random);
        const netgen::Units units = 2 + random.below(4);
        const netgen::PoolRun pooled = netgen::run_pool(cfg, splits, units);
        for (int draw = 0; draw < 3; ++draw) {
            const netgen::StructuredCfg shorter = with_shorter_times(cfg, random);
            REQUIRE(hand_over_steps(shorter, pooled.hand_overs) <= pooled.wcet);
            if (netgen::run_pool(shorter, splits, units).wcet > pooled.wcet) ++anomalies;
        }
    }
    CHECK(anomalies >= least_count(1));
}

TEST_CASE("the pool of ten thousand nested branches is run") {
    const netgen::StructuredCfg cfg = nest(10'000);
    netgen::SplitSet all(cfg.size(), false);
    for (const netgen::BlockId branch : cfg.branches()) all[index(branch)] = true;
    const netgen::PoolRun pooled = netgen::run_pool(cfg, all, 5);
    CHECK(pooled.peak == 5);
    CHECK(hand_over_steps(cfg, pooled.hand_overs) == pooled.wcet);
}
