#include "analysis/states/explore/run_extremes.hpp"

#include "analysis/states/steps/possible_steps.hpp"
#include "analysis/worst/search/order_search.hpp"
#include "engine/compile/firing_rule.hpp"
#include "engine/net/net_builder.hpp"
#include "engine/plan.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/random_net.hpp"

#include <set>

#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <rapidcheck/catch.h>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// All maximal steps: checks every subset of the enabled transitions against the definition.
std::set<std::vector<std::uint32_t>> maximal_sets(const CompiledNet& net, const Marking& marking) {
    std::vector<std::uint32_t> able;
    bool immediate = false;
    for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
        if (enabled(net, marking, t)) able.push_back(t);
    }
    for (const std::uint32_t t : able) immediate |= net.immediate(t);
    std::erase_if(able, [&](std::uint32_t t) { return net.immediate(t) != immediate; });
    std::set<std::vector<std::uint32_t>> found;
    if (able.empty() || able.size() > 12) return found;
    for (std::uint32_t subset = 1; subset < (1u << able.size()); ++subset) {
        Marking residual = marking;
        std::vector<std::uint32_t> step;
        bool possible = true;
        for (std::size_t i = 0; i < able.size(); ++i) {
            if ((subset >> i & 1) == 0) continue;
            possible = possible && fits(net, residual, able[i]);
            if (possible) take(net, residual, able[i]);
            step.push_back(able[i]);
        }
        for (std::size_t i = 0; i < able.size() && possible; ++i) {
            if ((subset >> i & 1) == 0) possible = !fits(net, residual, able[i]);
        }
        if (possible) found.insert(step);
    }
    return found;
}

Net small_kernel(std::uint64_t seed) {
    CounterRandom random(seed, 0);
    netgen::WarpsSpec spec;
    spec.schedulers = 1 + random.below(2);
    spec.shared_latency = 1 + random.below(2);
    spec.global_latency = 1 + random.below(3);
    for (std::uint32_t warps = 1 + random.below(2); warps > 0; --warps) {
        spec.warps.push_back({random.below(3), random.below(2), random.below(2)});
    }
    return netgen::warps_net(spec);
}

}  // namespace

TEST_CASE("the possible steps are the maximal subsets") {
    rc::prop("random nets without priorities", [](std::uint64_t seed) {
        RandomNetOptions options;
        options.priorities = false;
        const Net net = random_net(seed, options);
        const CompiledNet compiled = compile(net);
        const auto expected = maximal_sets(compiled, compiled.initial);
        std::set<std::vector<std::uint32_t>> found;
        states::for_each_possible_step(compiled, compiled.initial, Semantics::maximal,
                                       [&](const ScheduledStep& step) {
                                           RC_ASSERT(found.insert(step.transitions).second);
                                           return true;
                                       });
        RC_PRE(found.empty() || !expected.empty());
        RC_ASSERT(found == expected);
    });
}

TEST_CASE("no run leaves the range between the shortest and the longest, and both replay") {
    rc::prop("small warps nets", [](std::uint64_t seed) {
        const Net net = small_kernel(seed);
        const CompiledNet compiled = compile(net);
        const states::RunExtremes extremes = states::run_extremes(compiled);
        RC_ASSERT(extremes.stop == WorkEnd::complete);
        RC_ASSERT(extremes.dead_states == 1u);
        ManyOptions options;
        options.runs = 50;
        const RunStatistics seen = statistics(run_many(compiled, options));
        RC_ASSERT(*extremes.shortest <= seen.min_steps);
        RC_ASSERT(*extremes.longest >= seen.max_steps);
        const RunResult longest = replay(compiled, net, extremes.longest_schedule, Semantics::maximal);
        RC_ASSERT(longest.steps == *extremes.longest);
        RC_ASSERT(longest.reason == StopReason::dead);
        const RunResult shortest = replay(compiled, net, extremes.shortest_schedule, Semantics::maximal);
        RC_ASSERT(shortest.steps == *extremes.shortest);
        RC_ASSERT(shortest.reason == StopReason::dead);
    });
}

TEST_CASE("the search finds the exact extremes of small nets") {
    for (const worst::Objective objective : {worst::Objective::longest, worst::Objective::shortest}) {
        rc::prop(objective == worst::Objective::longest ? "longest" : "shortest", [objective](
                                                                                      std::uint64_t seed) {
            const Net net = small_kernel(seed);
            const CompiledNet compiled = compile(net);
            const states::RunExtremes extremes = states::run_extremes(compiled);
            worst::OrderSearchOptions options;
            options.annealing = {.objective = objective, .iterations = 1000, .temperature = 1, .seed = seed};
            options.chains = 3;
            const auto instance =
                std::make_shared<const worst::OrderInstance>(net, plan(compiled), 10'000'000);
            worst::OrderSearchState state = worst::begin_search(instance, options);
            RC_ASSERT(worst::continue_search(state) == WorkEnd::complete);
            const worst::OrderSearchResult result = worst::search_result(state, WorkEnd::complete);
            const auto found = static_cast<std::uint64_t>(result.found);
            RC_ASSERT(found ==
                      *(objective == worst::Objective::longest ? extremes.longest : extremes.shortest));
            RC_ASSERT(
                replay(compiled, net, worst::schedule_of(*instance, result.best), Semantics::maximal).steps ==
                found);
        });
    }
}

TEST_CASE("a search that was stopped goes on to the same end") {
    const Net net = small_kernel(12);
    worst::OrderSearchOptions options;
    options.annealing.iterations = 300;
    const auto instance = std::make_shared<const worst::OrderInstance>(net, plan(compile(net)), 10'000'000);
    worst::OrderSearchState whole = worst::begin_search(instance, options);
    worst::continue_search(whole);
    worst::OrderSearchState parts = worst::begin_search(instance, options);
    std::atomic<bool> interrupt = true;
    worst::OrderSearchLimits limits;
    limits.work.interrupt = &interrupt;
    CHECK(worst::continue_search(parts, limits) == WorkEnd::interrupted);
    CHECK(worst::continue_search(parts) == WorkEnd::complete);
    for (std::size_t i = 0; i < whole.chains.size(); ++i) {
        CHECK(parts.chains[i].current == whole.chains[i].current);
        CHECK(parts.chains[i].best == whole.chains[i].best);
        CHECK(parts.chains[i].best_value == whole.chains[i].best_value);
    }
}

TEST_CASE("a net that can run forever has no longest run, and shows the cycle") {
    NetBuilder builder;
    const PlaceId p = builder.add_place("p", 1);
    const PlaceId q = builder.add_place("q");
    const TransitionId go = builder.add_transition("go"), back = builder.add_transition("back"),
                       leave = builder.add_transition("leave");
    builder.add_input(p, go);
    builder.add_output(go, q);
    builder.add_input(q, back);
    builder.add_output(back, p);
    builder.add_input(q, leave);
    const Net net = builder.build();
    const states::RunExtremes extremes = states::run_extremes(compile(net));
    CHECK(extremes.stop == WorkEnd::complete);
    CHECK_FALSE(extremes.longest);
    CHECK(extremes.shortest == 2);
    CHECK(extremes.cycle_prefix.empty());
    REQUIRE(extremes.cycle.size() == 2);
    CHECK(extremes.cycle[0].transitions == std::vector<std::uint32_t>{0});
    CHECK(extremes.cycle[1].transitions == std::vector<std::uint32_t>{1});
}

TEST_CASE("an exploration that hits a limit claims nothing") {
    states::ExploreOptions options;
    options.semantics = Semantics::maximal;
    options.max_states = 10;
    netgen::WarpsSpec spec;
    spec.warps.assign(3, {2, 2, 2});
    const states::RunExtremes extremes = states::run_extremes(compile(netgen::warps_net(spec)), options);
    CHECK(extremes.stop == WorkEnd::state_limit);
    CHECK_FALSE(extremes.longest);
    CHECK_FALSE(extremes.shortest);
}
