#include "analysis/worst/search/service_run.hpp"

#include "analysis/worst/search/service_moves.hpp"
#include "analysis/worst/search/service_search.hpp"
#include "analysis/worst/search/service_starts.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_module_net.hpp"
#include "tests/support/random_parts_net.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

constexpr std::uint64_t max_steps = 400;

Net some_warps(std::uint64_t seed) {
    CounterRandom random(seed, 1);
    netgen::WarpsSpec spec;
    spec.schedulers = 1 + random.below(3);
    spec.shared_latency = 1 + random.below(3);
    spec.global_latency = 1 + random.below(9);
    for (std::uint32_t warps = 1 + random.below(6); warps > 0; --warps)
        spec.warps.push_back({random.below(9), random.below(4), random.below(4)});
    return netgen::warps_net(spec);
}

Net some_net(std::uint64_t seed) {
    return seed % 3 == 0   ? some_warps(seed)
           : seed % 3 == 1 ? RandomPartsNet(seed).build()
                           : RandomModuleNet(seed).build();
}

}  // namespace

TEST_CASE("what an order does is a run of the net, of as many steps") {
    std::uint64_t nets = 0, ended = 0;
    for (std::uint64_t seed = 0; seed < case_count(600); ++seed) {
        CAPTURE(seed);
        const Net net = some_net(seed);
        const CompiledNet compiled = compile(net, {.hub_consumers = 3});
        const Plan planned = plan(compiled, {}, {.arrays = {.hub_consumers = 3}});
        if (!planned.modules()) continue;
        ++nets;
        const worst::ServiceInstance instance(planned, max_steps, seed);
        worst::ServiceRun runner(instance.net, max_steps);
        CounterRandom random(seed, 2);
        for (int i = 0; i < 6; ++i) {
            const worst::ServiceOrder order =
                i % 2 == 0 ? instance.starts.random_order(random)
                           : instance.starts.plan(instance.starts.random_strategy(random), random);
            const worst::ServiceOutcome outcome = runner.run(order);
            const Schedule schedule = worst::schedule_of(instance, order);
            CHECK(schedule.empty() == (!outcome.dead || outcome.steps == 0));
            if (!outcome.dead) continue;
            ++ended;
            CHECK(schedule.size() == outcome.steps);
            const RunResult result = replay(compiled, net, schedule, Semantics::maximal);
            CHECK(result.steps == outcome.steps);
            CHECK(result.reason == StopReason::dead);
        }
    }
    CHECK(nets >= least_count(300));
    CHECK(ended >= least_count(1200));
}

TEST_CASE("a candidate is worth what a run from the beginning gives") {
    std::uint64_t candidates = 0;
    for (std::uint64_t seed = 0; seed < case_count(200); ++seed) {
        CAPTURE(seed);
        const Net net = seed % 4 == 0
                            ? netgen::warps_net({.warps = {5, {.arith = 40, .shared = 9, .global = 6}}})
                            : some_net(seed);
        const CompiledNet compiled = compile(net, {.hub_consumers = 3});
        const Plan planned = plan(compiled, {}, {.arrays = {.hub_consumers = 3}});
        if (!planned.modules()) continue;
        const worst::ServiceInstance instance(planned, 4000, seed);
        worst::ServiceRun runner(instance.net, 4000), fresh(instance.net, 4000);
        CounterRandom random(seed, 2);
        worst::ServiceOrder order = instance.starts.random_order(random);
        if (!runner.run(order).dead) continue;
        worst::ServiceMoves moves(instance.net, {.exchange = 1,
                                                 .shift = 1,
                                                 .gather = 1,
                                                 .gang = 1,
                                                 .serve = 1,
                                                 .stretch = 1,
                                                 .swap = 1,
                                                 .copy = 1,
                                                 .relabel = 1,
                                                 .repeat = 1});
        for (int i = 0; i < 60; ++i) {
            const worst::ServiceOrder before = order;
            if (!moves.draw(order, runner, random)) {
                CHECK(order == before);
                continue;
            }
            ++candidates;
            const worst::ServiceOutcome outcome = runner.candidate(order, moves.changes());
            REQUIRE(outcome == fresh.run(order));
            if (outcome.dead && random.below(2) == 0) {
                runner.accept();
                CHECK(runner.outcome() == outcome);
            } else {
                moves.undo(order);
                CHECK(order == before);
            }
        }
    }
    CHECK(candidates >= least_count(4000));
}
