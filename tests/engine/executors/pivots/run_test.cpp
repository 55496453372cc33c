// The executor of pivots, compared with the reference and the general executor. The nets are random nets with
// immediate transitions and priorities, processes with program counters, and small SMs.

#include "engine/executors/pivots/net.hpp"
#include "engine/net/net_builder.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/executor_checks.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/random_processes.hpp"
#include "tests/support/sample_nets.hpp"

#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

constexpr PlanOptions general = {.modules = false, .parts = in_one_piece, .pivots = false};
/// Shared places are hubs, even if they have few consumers.
constexpr PlanOptions hubs = {.arrays = {.hub_consumers = 1, .group_size = 0}};
constexpr PlanOptions some_hubs = {.arrays = {.hub_consumers = 3, .group_size = 0}};

Net any_net(std::uint64_t seed) { return random_net(seed); }

/// Many transitions that need the same token.
Net crowded_net(std::uint64_t seed) {
    return random_net(seed, {.places = 6, .transitions = 14, .gadgets = 1});
}

/// Many hubs with conditions.
Net wide_net(std::uint64_t seed) {
    return random_net(seed, {.places = 400, .transitions = 800, .gadgets = 2});
}

/// More refilled hubs than there are bits.
Net refilled_net(std::uint64_t seed) {
    CounterRandom random(seed, 47);
    NetBuilder builder;
    const PlaceId ready = builder.add_place("ready", 20);
    for (std::uint32_t i = 0; i < PivotNet::most_refills + 10; ++i) {
        const std::string id = std::to_string(i);
        const PlaceId hub = builder.add_place("hub" + id, random.below(3));
        const TransitionId refill = builder.add_transition("refill" + id);
        builder.add_inhibitor(hub, refill, 1 + random.below(4));
        builder.add_output(refill, hub, 1 + random.below(2));
        for (const char* const way : {"a", "b"}) {
            const PlaceId used = builder.add_place(way + ("used" + id));
            const TransitionId use = builder.add_transition(way + ("use" + id));
            builder.add_input(hub, use, 1 + random.below(3));
            builder.add_input(ready, use);
            builder.add_output(use, used);
            const TransitionId back = builder.add_transition(way + ("back" + id));
            if (random.below(2) == 0) builder.set_immediate(back);
            builder.add_input(used, back);
            builder.add_output(back, ready);
        }
    }
    return builder.build();
}

ExecutorCases cases(Net (*net)(std::uint64_t), const PlanOptions& how) {
    return {net, how, ExecutorKind::pivots};
}

}  // namespace

TEST_CASE("pivots: the reference's runs under keyed and deterministic policies") {
    for (const PlanOptions& how : {PlanOptions{}, some_hubs, hubs}) {
        auto reasons = check_all_against_reference(cases(any_net, how), case_count(400));
        CHECK(reasons[StopReason::dead] >= least_count(200));
        CHECK(reasons[StopReason::step_limit] >= least_count(200));
        reasons = check_all_against_reference(cases(random_processes, how), case_count(400));
        CHECK(reasons[StopReason::dead] >= least_count(50));
        CHECK(reasons[StopReason::step_limit] >= least_count(200));
        reasons = check_all_against_reference(cases(small_sm, how), case_count(100));
        CHECK(reasons[StopReason::dead] >= least_count(100));
        CHECK(reasons[StopReason::step_limit] >= least_count(50));
    }
    check_all_against_reference(cases(wide_net, hubs), case_count(24));
    const std::uint64_t seeds = case_count(16);
    CHECK(check_all_against_reference(cases(refilled_net, hubs), seeds)[StopReason::step_limit] == 3 * seeds);
    const auto refilled = find_pivots(compile(refilled_net(0), hubs.arrays), hubs.arrays.hub_consumers);
    REQUIRE(refilled != nullptr);
    CHECK(refilled->refills.size() == PivotNet::most_refills);
}

TEST_CASE("pivots: wide nets have many hubs on which there are conditions") {
    std::size_t many = 0;
    for (std::uint64_t seed = 0; seed < case_count(24); ++seed) {
        const CompiledNet net = compile(wide_net(seed), hubs.arrays);
        const auto found = find_pivots(net, hubs.arrays.hub_consumers);
        if (found == nullptr) continue;
        for (const std::uint32_t hub : found->hubs)
            many += (found->places[hub].kind & PivotNet::watched) != 0 ? 1U : 0U;
    }
    CHECK(many >= least_count(100));
}

TEST_CASE("pivots: the same run on any number of threads, observed or not, in one piece or in several") {
    for (const PlanOptions& how : {PlanOptions{}, some_hubs, hubs}) {
        CHECK(check_all_made_any_way(cases(any_net, how), case_count(300)) >= least_count(150));
        CHECK(check_all_made_any_way(cases(random_processes, how), case_count(200)) >= least_count(90));
        CHECK(check_all_made_any_way(cases(small_sm, how), case_count(100)) >= least_count(90));
    }
}

TEST_CASE("pivots: steps that change nothing leave every token where it waited, wherever they are cut") {
    // Processes that change nothing while the hub serves all of them; then it serves one of them per step.
    // They have two classes, so that their order is drawn.
    NetBuilder builder;
    const PlaceId hub = builder.add_place("hub", 10), go = builder.add_place("go");
    for (int i = 0; i < 9; ++i) {
        const std::string name = std::to_string(i);
        const PlaceId here = builder.add_place("here_" + name, 1), away = builder.add_place("away_" + name);
        const TransitionId spin = builder.add_transition("spin_" + name);
        const TransitionId back = builder.add_transition("back_" + name);
        builder.add_input(here, spin);
        builder.add_output(spin, here);
        const Tokens wanted = i == 0 ? 2 : 1;
        builder.add_input(hub, spin, wanted);
        builder.add_output(spin, hub, wanted);
        builder.add_input(away, back);
        builder.add_output(back, here);
    }
    const PlaceId wait = builder.add_place("wait", 1), timer = builder.add_place("timer", 19);
    const TransitionId tick = builder.add_transition("tick"), done = builder.add_transition("done");
    add_delay_arcs(builder, wait, timer, tick, done, 20);
    builder.add_output(done, go);
    const TransitionId steal = builder.add_transition("steal");
    builder.set_priority(steal, 1);
    builder.add_input(go, steal);
    builder.add_input(hub, steal, 9);
    const PlanOptions one_hub = {.arrays = {.hub_consumers = 8, .group_size = 0}};
    const Plan planned = plan(compile(builder.build(), one_hub.arrays), {}, one_hub);
    RunOptions options;
    REQUIRE(planned.executor(options) == ExecutorKind::pivots);
    options.count_firings = true;
    options.max_steps = 60;
    for (options.seed = 1; options.seed <= 8; ++options.seed) {
        const RunResult whole = run(planned, options);
        CHECK(whole.firings == 9 * 20 + 40 + 20 + 1);  // processes, the delay, `steal`
        for (const std::uint64_t cut : {1U, 2U, 5U, 18U}) {
            RunOptions begun = options;
            begun.max_steps = cut;
            const auto run_in_two = planned.begin(begun, nullptr);
            CHECK(run_in_two->advance(cut) == StopReason::step_limit);
            CHECK(run_in_two->advance(60) == StopReason::step_limit);
            CAPTURE(options.seed, cut);
            CHECK(run_in_two->finish() == whole);
        }
    }
}

TEST_CASE("pivots: random runs are distributed like those of the general executor") {
    for (const PlanOptions& how : {PlanOptions{}, some_hubs, hubs}) {
        CHECK(check_all_distributed(cases(crowded_net, how), general, case_count(200), 12, 400) >=
              least_count(20));
        CHECK(check_all_distributed(cases(random_processes, how), general, case_count(100), 12, 400) >=
              least_count(20));
        CHECK(check_all_distributed(cases(small_sm, how), general, case_count(60), 400, 400) >=
              least_count(20));
    }
}

TEST_CASE("pivots: the place with the fewest consumers, not a hub, and in gadgets the one that waits") {
    NetBuilder builder;
    const PlaceId hub = builder.add_place("hub", 1), ready = builder.add_place("ready", 1);
    std::vector<PlaceId> counters;
    for (int i = 0; i < 9; ++i) {
        counters.push_back(builder.add_place("pc" + std::to_string(i)));
        const TransitionId t = builder.add_transition("t" + std::to_string(i));
        builder.add_input(hub, t);
        builder.add_input(counters.back(), t);
        if (i < 3) builder.add_input(ready, t);
    }
    builder.set_immediate(builder.add_transition("free"));
    const CompiledNet net = compile(builder.build());
    const auto found = find_pivots(net, 8);
    REQUIRE(found != nullptr);
    CHECK(found->places[index(hub)].kind == PivotNet::hub);
    CHECK(found->places[index(ready)].kind == PivotNet::watched);
    for (std::uint32_t i = 0; i < 9; ++i) {
        const auto activated = found->activates[index(counters[i])];
        REQUIRE(activated.size() == 1);
        CHECK(activated.front() == i);
        CHECK(found->transitions[i + 1].first_condition - found->transitions[i].first_condition ==
              (i < 3 ? 1 : 0));
    }
    CHECK(found->always == std::vector<std::uint32_t>{9});
    CHECK(found->immediate_classes == std::vector<std::uint64_t>{1});
    REQUIRE(found->classes.size() == 3);  // some of those that need the hub also compete for another place
    CHECK(found->classes[0].free);
    CHECK(found->demands[1].size() == 1);

    NetBuilder timed;
    timed.add_input(timed.add_place("p", 1), timed.add_transition("t"));
    CHECK(find_pivots(compile(timed.build()), 8) == nullptr);
}
