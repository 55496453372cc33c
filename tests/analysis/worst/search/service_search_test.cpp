#include "analysis/worst/search/service_search.hpp"

#include "analysis/states/explore/run_extremes.hpp"
#include "engine/input/parse_json.hpp"
#include "engine/net/error.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_parts_net.hpp"
#include "tests/support/ranks.hpp"

#include <iostream>

#include <catch2/catch.hpp>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

Net warps(std::size_t count, Tokens schedulers, netgen::WarpCounts counts) {
    netgen::WarpsSpec spec;
    spec.warps.assign(count, counts);
    spec.schedulers = schedulers;
    return netgen::warps_net(spec);
}

worst::ServiceSearchOptions options_of(std::uint64_t iterations, std::uint32_t chains,
                                       worst::AnnealingMethod method = worst::AnnealingMethod::portfolio) {
    worst::ServiceSearchOptions options;
    options.annealing = {.method = method, .iterations = iterations, .temperature = 1, .seed = 3};
    options.chains = chains;
    return options;
}

worst::ServiceOrders::Instance instance_of(const Plan& net, std::uint64_t max_steps = 1'000'000) {
    return worst::service_instance(net, max_steps, 3);
}

std::string timeless(worst::ServiceSearchState state) {
    state.seconds = 0;
    for (auto& chain : state.chains)
        for (auto& improvement : chain.log) improvement.seconds = 0;
    return worst::write_checkpoint(state);
}

WorkEnd by_team(int size, worst::ServiceSearchState& state, const worst::ServiceSearchLimits& limits = {}) {
    const worst::ServiceSearchState begun = state;
    return results_of_ranks<WorkEnd>(size,
                                     [&](ranks::Collectives& ranks) {
                                         if (ranks.rank() == 0)
                                             return worst::continue_search(state, limits, ranks);
                                         worst::ServiceSearchState own = begun;
                                         return worst::continue_search(own, {}, ranks);
                                     })
        .front();
}

struct Tally {
    int nets = 0, longest = 0, shortest = 0;
};

/// Counts how often the search finds the extremes of a complete exploration.
Tally compare_with_all_runs(std::uint64_t first_seed, int nets) {
    Tally tally;
    for (std::uint64_t seed = first_seed; tally.nets < nets; ++seed) {
        CAPTURE(seed);
        const Net net = RandomPartsNet(seed).build();
        const CompiledNet compiled = compile(net);
        const Plan planned = plan(compiled);
        if (!planned.modules()) continue;
        states::ExploreOptions explore{.semantics = Semantics::maximal};
        explore.max_states = 20'000;
        const states::RunExtremes extremes = states::run_extremes(compiled, explore);
        if (extremes.stop != WorkEnd::complete || !extremes.longest || !extremes.shortest) continue;
        ++tally.nets;
        for (const worst::Objective objective : {worst::Objective::longest, worst::Objective::shortest}) {
            worst::ServiceSearchOptions options = options_of(4'000, 4);
            options.annealing.objective = objective;
            const auto known = static_cast<std::int64_t>(
                objective == worst::Objective::longest ? *extremes.longest : *extremes.shortest);
            options.target = known;
            const auto instance = instance_of(planned);
            worst::ServiceSearchState state = worst::begin_search(instance, options);
            const worst::ServiceSearchResult result =
                worst::search_result(state, worst::continue_search(state));
            REQUIRE_FALSE(worst::better(objective, result.found, known));
            const Schedule schedule = worst::schedule_of(*instance, result.best);
            REQUIRE(schedule.size() == static_cast<std::size_t>(result.found));
            REQUIRE(replay(compiled, net, schedule, Semantics::maximal).reason == StopReason::dead);
            (objective == worst::Objective::longest ? tally.longest : tally.shortest) +=
                result.found == known;
        }
    }
    return tally;
}

}  // namespace

TEST_CASE("the search finds the extremes of small nets of parts and hubs") {
    const Tally tally = compare_with_all_runs(1, static_cast<int>(case_count(150)));
    CHECK(tally.longest >= tally.nets * 99 / 100);
    CHECK(tally.shortest >= tally.nets * 99 / 100);
}

TEST_CASE("the search finds the extremes of 10,000 small nets", "[.][long]") {
    const Tally tally = compare_with_all_runs(1'000'000, 10'000);
    std::cout << "nets " << tally.nets << ", longest found " << tally.longest << ", shortest found "
              << tally.shortest << "\n";
    CHECK(tally.longest >= 9'900);
    CHECK(tally.shortest >= 9'900);
}

TEST_CASE("nets of equal warps: as long as starvation makes them, and as long as can be") {
    // The remaining warps always keep the schedulers busy. The bound is the longest warp alone plus the steps
    // for which the remaining warps hold the schedulers.
    const auto [net, known] = GENERATE(table<Net, std::int64_t>(
        {{warps(6, 2, {10, 2, 1}), 190}, {warps(8, 2, {20, 5, 2}), 495}, {warps(16, 4, {20, 5, 2}), 518}}));
    const CompiledNet compiled = compile(net);
    const Plan planned = plan(compiled);
    worst::ServiceSearchOptions options = options_of(16'000, 8);
    options.target = known;
    const auto instance = instance_of(planned);
    worst::ServiceSearchState state = worst::begin_search(instance, options);
    const worst::ServiceSearchResult result = worst::search_result(state, worst::continue_search(state));
    CHECK(result.found == known);
    const RunResult run =
        replay(compiled, net, worst::schedule_of(*instance, result.best), Semantics::maximal);
    CHECK(static_cast<std::int64_t>(run.steps) == known);
    CHECK(run.reason == StopReason::dead);
}

TEST_CASE("the same seed gives the same order on any number of threads and ranks") {
    const Plan net = plan(compile(warps(4, 2, {6, 2, 1})));
    const auto method = GENERATE(worst::AnnealingMethod::portfolio, worst::AnnealingMethod::tempering);
    const worst::ServiceSearchOptions options = options_of(6'000, 5, method);
    const auto instance = instance_of(net);
    const tbb::global_control more_threads_than_cores(tbb::global_control::max_allowed_parallelism, 4);
    const auto search = [&](int threads) {
        return tbb::task_arena(threads).execute([&] {
            worst::ServiceSearchState state = worst::begin_search(instance, options);
            CHECK(worst::continue_search(state) == WorkEnd::complete);
            return timeless(state);
        });
    };
    const std::string one = search(1);
    CHECK(search(4) == one);
    for (const int size : {1, 3}) {
        worst::ServiceSearchState state = worst::begin_search(instance, options);
        CHECK(by_team(size, state) == WorkEnd::complete);
        CHECK(timeless(state) == one);
    }
}

TEST_CASE("a team ends at a target where one process does") {
    const Plan net = plan(compile(warps(4, 2, {6, 2, 1})));
    const auto instance = instance_of(net);
    worst::ServiceSearchOptions options = options_of(6'000, 5);
    worst::ServiceSearchState free = worst::begin_search(instance, options);
    worst::continue_search(free);
    options.target = worst::search_result(free, WorkEnd::complete).found;
    worst::ServiceSearchState state = worst::begin_search(instance, options);
    REQUIRE(worst::continue_search(state) == WorkEnd::target_reached);
    const worst::ServiceSearchResult one = worst::search_result(state, WorkEnd::target_reached);
    for (const int size : {1, 3}) {
        worst::ServiceSearchState shared = worst::begin_search(instance, options);
        CHECK(by_team(size, shared) == WorkEnd::target_reached);
        const worst::ServiceSearchResult several = worst::search_result(shared, WorkEnd::target_reached);
        CHECK(several.found == one.found);
        CHECK(several.best == one.best);
        CHECK(several.iterations == one.iterations);
        CHECK(several.log.size() == one.log.size());
    }
}

TEST_CASE("a search over orders that was stopped and saved goes on to the same end") {
    const Plan net = plan(compile(warps(4, 2, {6, 2, 1})));
    const auto method = GENERATE(worst::AnnealingMethod::portfolio, worst::AnnealingMethod::tempering);
    const auto instance = instance_of(net);
    const worst::ServiceSearchOptions options = options_of(40'000, 3, method);
    worst::ServiceSearchState whole = worst::begin_search(instance, options);
    worst::continue_search(whole);

    worst::ServiceSearchState state = worst::begin_search(instance, options);
    std::atomic<bool> interrupt = false;
    int calls = 0;
    worst::ServiceSearchLimits limits;
    limits.work.interrupt = &interrupt;
    limits.checkpoint = [&](const worst::ServiceSearchState&) { interrupt = ++calls == 4; };
    CHECK(worst::continue_search(state, limits) == WorkEnd::interrupted);
    worst::ServiceSearchState again = worst::read_checkpoint(instance, worst::write_checkpoint(state));
    CHECK(again.options == options);
    CHECK(worst::continue_search(again) == WorkEnd::complete);
    CHECK(timeless(again) == timeless(whole));
}

TEST_CASE("a search over orders whose limits are met begins with one strategy and ends") {
    const Plan net = plan(compile(warps(16, 4, {200, 50, 20})));
    std::atomic<bool> interrupt = true;
    const WorkLimits met{.interrupt = &interrupt};
    worst::ServiceSearchOptions options = options_of(1'000'000, 8);
    // The strategies of one start are 600 runs, and 8 chains have five such starts.
    const auto instance = worst::service_instance(net, 1'000'000, 3, met);
    worst::ServiceSearchState state = worst::begin_search(instance, options, met);
    CHECK_FALSE(state.begun);
    REQUIRE(state.chains.size() == 1);
    worst::ServiceSearchLimits limits;
    limits.work = met;
    CHECK(worst::continue_search(state, limits) == WorkEnd::interrupted);
    const worst::ServiceSearchResult result = worst::search_result(state, WorkEnd::interrupted);
    CHECK(result.chains == 1);
    CHECK(result.iterations == 0);
    // The stored result is a run of the net.
    const Schedule schedule = worst::schedule_of(*instance, result.best);
    CHECK(static_cast<std::int64_t>(schedule.size()) == result.found);
    CHECK(replay(net.net(), warps(16, 4, {200, 50, 20}), schedule, Semantics::maximal).reason ==
          StopReason::dead);

    // With more time, the same start finds more.
    const worst::ServiceOrder first =
        worst::ServiceOrders::begin(instance, options.annealing, worst::SearchStart::starvation, 7, met);
    const worst::ServiceOrder best =
        worst::ServiceOrders::begin(instance, options.annealing, worst::SearchStart::starvation, 7);
    CHECK(worst::schedule_of(*instance, first).size() < worst::schedule_of(*instance, best).size());

    interrupt = false;
    CHECK(worst::begin_search(instance, options_of(1, 3), met).begun);
}

TEST_CASE("what is no checkpoint of a search over orders is refused") {
    const Plan net = plan(compile(warps(3, 2, {3, 1, 1})));
    const Plan other = plan(compile(warps(3, 2, {3, 1, 2})));
    const auto instance = instance_of(net);
    const std::string good = worst::write_checkpoint(worst::begin_search(instance, options_of(100, 2)));
    const auto replaced = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        const auto at = text.find(from);
        REQUIRE(at != std::string::npos);
        auto json = nlohmann::json::parse(text.replace(at, from.size(), to));
        json.erase("checksum");
        return sealed_json(json);
    };
    CHECK(worst::read_checkpoint(instance, good).chains.size() == 2);
    CHECK_THROWS_AS(worst::read_checkpoint(instance_of(other), good), InputError);
    CHECK_THROWS_AS(worst::read_checkpoint(instance, ""), InputError);
    CHECK_THROWS_AS(worst::read_checkpoint(instance, "{}"), InputError);
    CHECK_THROWS_AS(worst::read_checkpoint(instance, replaced("\"choice\":[", "\"choice\":[77,")),
                    InputError);
    CHECK_THROWS_AS(worst::read_checkpoint(instance, replaced("\"first\":[0,", "\"first\":[1,")), InputError);
    CHECK_THROWS_AS(worst::read_checkpoint(instance, replaced("\"best_value\":", "\"best_value\":1")),
                    InputError);
}

TEST_CASE("a run that does not end ends the search") {
    const Plan net = plan(compile(warps(3, 1, {3, 1, 1})));
    const auto instance = instance_of(net, 70);
    worst::ServiceSearchState state = worst::begin_search(instance, options_of(2'000, 3));
    CHECK(worst::continue_search(state) == WorkEnd::endless);
}
