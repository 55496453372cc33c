#include "analysis/worst/exact/extremes.hpp"

#include "analysis/states/explore/run_extremes.hpp"
#include "analysis/worst/exact/multiset_sweep.hpp"
#include "engine/run_many.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_parts_net.hpp"
#include "tests/support/ranks.hpp"

#include <atomic>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

constexpr CompileOptions small_hubs = {.hub_consumers = 3};

Plan plan_for(const Net& net, const CompileOptions& arrays = {}) {
    return plan(compile(net, arrays), {}, {.arrays = arrays});
}

Net random_warps(std::uint64_t seed) {
    CounterRandom random(seed, 0);
    netgen::WarpsSpec spec;
    const std::uint32_t warps = 2 + random.below(3);
    spec.schedulers = 1 + random.below(3);
    spec.shared_latency = 1 + random.below(2);
    spec.global_latency = 1 + random.below(warps == 4 ? 2 : 4);
    const bool equal = random.below(2) == 0;
    const std::uint32_t most = warps == 2 ? 4 : 2;
    for (std::uint32_t w = 0; w < warps; ++w) {
        if (w > 0 && equal) {
            spec.warps.push_back(spec.warps.front());
        } else {
            spec.warps.push_back({random.below(most), random.below(2), random.below(2)});
        }
    }
    return netgen::warps_net(spec);
}

netgen::WarpsSpec equal_warps(std::size_t warps, Tokens schedulers, netgen::WarpCounts counts) {
    netgen::WarpsSpec spec;
    spec.warps.assign(warps, counts);
    spec.schedulers = schedulers;
    return spec;
}

/// A witness is a complete run with so many steps by the plain rules.
void check_witness(const Plan& planned, const Net& net, const worst::ExactResult& result) {
    if (!result.found) return;
    const RunResult run = replay(planned.net(), net, result.schedule, Semantics::maximal);
    CHECK(run.reason == StopReason::dead);
    CHECK(run.steps == *result.found);
}

/// Compares both extremes, each with and without pruning, with the graph of all maximal steps.
bool check_against_exploration(const Net& net, const Plan& planned) {
    states::ExploreOptions everything{.semantics = Semantics::maximal};
    if (sanitized()) everything.max_states = 10'000;
    const states::RunExtremes plain = states::run_extremes(planned.net(), everything);
    if (plain.stop != WorkEnd::complete) return false;
    for (const worst::Objective objective : {worst::Objective::longest, worst::Objective::shortest}) {
        const bool longest = objective == worst::Objective::longest;
        const auto expected = longest ? plain.longest : plain.shortest;
        worst::ExactOptions options;
        options.objective = objective;
        const worst::ExactResult exact = worst::exact_extremes(planned, options);
        if (exact.stop == WorkEnd::not_applicable) return false;
        if (exact.stop == WorkEnd::endless) {
            CHECK(longest);
            CHECK_FALSE(expected);
            continue;
        }
        REQUIRE(exact.stop == WorkEnd::complete);
        CHECK(exact.exact);
        CHECK(exact.found == expected);
        CHECK(exact.states <= plain.states);
        check_witness(planned, net, exact);
    }
    return true;
}

/// The layered search with every target near the value finds it or refutes the target.
void check_targets(const Plan& planned) {
    const worst::LocalStates states = worst::local_states(planned, false, {});
    if (states.stop != WorkEnd::complete || !states.acyclic()) return;
    const worst::MultisetNet net = worst::multiset_net(planned, states);
    const worst::RemainingSteps remaining(net);
    for (const worst::Objective objective : {worst::Objective::longest, worst::Objective::shortest}) {
        worst::MultisetSweepOptions options;
        options.objective = objective;
        const worst::MultisetSweep all = worst::multiset_sweep(net, remaining, options);
        if (all.stop != WorkEnd::complete || !all.steps) continue;
        for (const int away : {-2, -1, 0, 1, 2}) {
            const std::int64_t target = static_cast<std::int64_t>(*all.steps) + away;
            if (target < 0) continue;
            options.target = static_cast<std::uint64_t>(target);
            const worst::MultisetSweep some = worst::multiset_sweep(net, remaining, options);
            const bool met = objective == worst::Objective::longest ? away <= 0 : away >= 0;
            CHECK(some.stop == WorkEnd::complete);
            CHECK(some.steps == (met ? all.steps : std::nullopt));
            CHECK(some.states <= all.states);
        }
    }
}

}  // namespace

TEST_CASE("extremes of random warps nets are those of plain exploration") {
    std::uint64_t compared = 0;
    for (std::uint64_t seed = 1; seed <= case_count(240); ++seed) {
        CAPTURE(seed);
        const Net net = random_warps(seed);
        const Plan planned = plan_for(net);
        if (check_against_exploration(net, planned)) ++compared;
        check_targets(planned);
    }
    CHECK(compared >= least_count(200));
}

TEST_CASE("extremes of random nets of parts are those of plain exploration") {
    std::uint64_t compared = 0;
    for (std::uint64_t seed = 1; seed <= case_count(800); ++seed) {
        CAPTURE(seed);
        const Net net = RandomPartsNet(seed).build();
        const Plan planned = plan_for(net, small_hubs);
        if (check_against_exploration(net, planned)) ++compared;
        check_targets(planned);
    }
    INFO("compared " << compared);
    CHECK(compared >= least_count(300));
}

TEST_CASE("worst cases of warps nets that plain exploration cannot reach") {
    struct Row {
        netgen::WarpsSpec spec;
        std::uint64_t longest;
    };
    // Two rows equal the bound of the starvation argument, the remaining row is three steps less.
    const std::vector<Row> rows = {{equal_warps(6, 2, {10, 2, 1}), 190},
                                   {equal_warps(4, 2, {20, 5, 2}), 304}};
    for (const Row& row : rows) {
        const Net net = netgen::warps_net(row.spec);
        const Plan planned = plan_for(net);
        const worst::ExactResult result = worst::exact_extremes(planned);
        CHECK(result.exact);
        CHECK(result.found == row.longest);
        CHECK(result.bound == row.longest);
        check_witness(planned, net, result);
    }
}

TEST_CASE("what is known beforehand is not searched for again") {
    const Net net = netgen::warps_net(equal_warps(4, 2, {20, 5, 2}));
    worst::ExactOptions options;
    options.found = 304;
    const worst::ExactResult result = worst::exact_extremes(plan_for(net), options);
    CHECK(result.exact);
    CHECK_FALSE(result.found);
    CHECK(result.bound == 304);
    options.bound = 304;
    CHECK(worst::exact_extremes(plan_for(net), options).states == 0);
}

TEST_CASE("an exact search goes on from any of its checkpoints to the same end") {
    std::size_t checkpoints = 0, refuting = 0;
    const Net net = netgen::warps_net(equal_warps(4, 2, {6, 2, 1}));
    const Plan planned = plan_for(net);
    const auto longest = worst::exact_extremes(planned).found;
    const std::atomic<bool> interrupt = true;
    constexpr std::uint32_t refutations = 5;  // as if nothing had been found before
    for (const std::uint32_t part : {0U, refutations}) {
        std::vector<worst::ExactProgress> saved;
        worst::ExactOptions options;
        options.from = worst::ExactProgress{.part = part};
        options.checkpoint = [&](const worst::ExactProgress& progress) { saved.push_back(progress); };
        const worst::ExactResult whole = worst::exact_extremes(planned, options);
        CHECK(whole.exact);
        CHECK(whole.found == longest);
        options.checkpoint = nullptr;
        for (const worst::ExactProgress& progress : saved) {
            const std::string text = worst::write_checkpoint(planned.net(), options.objective, progress);
            CHECK(worst::is_exact_checkpoint(text));
            std::string lowered = text;
            lowered.replace(lowered.find("\"bound\":"), std::string_view("\"bound\":").size(), "\"bound\":1");
            CHECK_THROWS_WITH(worst::read_exact_checkpoint(planned.net(), net, options.objective, lowered),
                              "checkpoint: damaged: the checksum is not that of its content");
            options.from = worst::read_exact_checkpoint(planned.net(), net, options.objective, text);
            CHECK(*options.from == progress);
            const worst::ExactResult again = worst::exact_extremes(planned, options);
            CHECK(again.found == whole.found);
            CHECK(again.bound == whole.bound);
            CHECK(again.exact);
            CHECK(again.schedule == whole.schedule);
            CHECK(again.states == whole.states);
            options.limits.interrupt = &interrupt;
            const worst::ExactResult interrupted = worst::exact_extremes(planned, options);
            CHECK(interrupted.found == progress.found);
            CHECK(interrupted.schedule == progress.schedule);
            CHECK(interrupted.bound <= progress.bound);
            options.limits.interrupt = nullptr;
            ++checkpoints;
            refuting += progress.refutations > 0 ? 1U : 0U;
        }
    }
    CHECK(checkpoints >= 1);
    CHECK(refuting >= 1);
}

TEST_CASE("an exact search is the same on any number of threads") {
    for (const worst::Objective objective : {worst::Objective::longest, worst::Objective::shortest}) {
        const Net net = netgen::warps_net(equal_warps(4, 2, {3, 1, 1}));
        const Plan planned = plan_for(net);
        worst::ExactOptions options;
        options.objective = objective;
        const auto on = [&](int threads) {
            return on_threads(threads, [&] { return worst::exact_extremes(planned, options); });
        };
        const worst::ExactResult one = on(1);
        for (const int threads : {2, 5}) {
            const worst::ExactResult more = on(threads);
            CHECK(more.found == one.found);
            CHECK(more.schedule == one.schedule);
            CHECK(more.states == one.states);
            CHECK(more.bytes == one.bytes);
        }
    }
}

TEST_CASE("what a limit leaves of an exact search is a bracket") {
    const Net net = netgen::warps_net(equal_warps(8, 2, {50, 10, 5}));
    const Plan planned = plan_for(net);
    const auto check = [&](const worst::ExactOptions& options, WorkEnd stop) {
        const worst::ExactResult result = worst::exact_extremes(planned, options);
        CHECK(result.stop == stop);
        CHECK_FALSE(result.exact);
        if (result.found) CHECK(*result.found < result.bound.value_or(0));
        check_witness(planned, net, result);
    };
    worst::ExactOptions options;
    options.limits.effort = 400'000;
    check(options, WorkEnd::effort_limit);
    options.limits.effort = 0;
    options.limits.memory = 40 << 20;
    check(options, WorkEnd::memory_limit);
    options.limits.memory = 1 << 10;
    check(options, WorkEnd::memory_limit);
    options.limits = {.deadline = std::chrono::steady_clock::now()};
    check(options, WorkEnd::time_limit);
    const std::atomic<bool> interrupt = true;
    options.limits = {.interrupt = &interrupt};
    check(options, WorkEnd::interrupted);
}

TEST_CASE("nets that the exact search is not for say why") {
    NetBuilder cycle("cycle");
    const PlaceId hub = cycle.add_place("hub", 1);
    for (const char* part : {"a", "b", "c", "d"}) {
        const PlaceId here = cycle.add_place(std::string(part) + "_here", 1),
                      there = cycle.add_place(std::string(part) + "_there");
        const TransitionId go = cycle.add_transition(std::string(part) + "_go"),
                           back = cycle.add_transition(std::string(part) + "_back");
        cycle.add_input(here, go);
        cycle.add_input(hub, go);
        cycle.add_output(go, there);
        cycle.add_input(there, back);
        cycle.add_output(back, here);
    }
    const worst::ExactResult round = worst::exact_extremes(plan_for(cycle.build(), small_hubs));
    CHECK(round.stop == WorkEnd::not_applicable);
    CHECK(round.reason == "a module can come back to a state");

    NetBuilder immediate("immediate");
    immediate.add_input(immediate.add_place("p", 1), immediate.add_transition("t"));
    immediate.set_immediate(TransitionId(0));
    const worst::ExactResult other = worst::exact_extremes(plan_for(immediate.build()));
    CHECK(other.stop == WorkEnd::not_applicable);
    CHECK_FALSE(other.reason.empty());
}
