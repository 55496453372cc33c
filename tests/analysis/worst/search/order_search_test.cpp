#include "analysis/worst/search/order_search.hpp"

#include "analysis/states/explore/run_extremes.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/ranks.hpp"

#include <chrono>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

std::string timeless(worst::OrderSearchState state) {
    state.seconds = 0;
    for (auto& chain : state.chains)
        for (auto& improvement : chain.log) improvement.seconds = 0;
    return worst::write_checkpoint(state);
}

Net small_warps() {
    netgen::WarpsSpec spec;
    spec.warps.assign(3, {.arith = 3, .shared = 1, .global = 1});
    spec.schedulers = 1;
    return netgen::warps_net(spec);
}

worst::TransitionOrders::Instance instance_of(const Net& net, std::uint64_t max_steps = 10'000'000) {
    return std::make_shared<const worst::OrderInstance>(net, plan(compile(net)), max_steps);
}

worst::OrderSearchOptions options_of(std::uint64_t iterations, std::uint32_t chains) {
    worst::OrderSearchOptions options;
    options.annealing.iterations = iterations;
    options.chains = chains;
    return options;
}

WorkEnd by_team(int size, worst::OrderSearchState& state, const worst::OrderSearchLimits& limits = {}) {
    const worst::OrderSearchState begun = state;
    return results_of_ranks<WorkEnd>(size,
                                     [&](ranks::Collectives& ranks) {
                                         if (ranks.rank() == 0)
                                             return worst::continue_search(state, limits, ranks);
                                         worst::OrderSearchState own = begun;
                                         return worst::continue_search(own, {}, ranks);
                                     })
        .front();
}

}  // namespace

TEST_CASE("a team of any size searches orders as one process does") {
    const Net net = small_warps();
    const std::uint64_t max_steps =
        GENERATE(std::uint64_t{10'000'000}, std::uint64_t{70});  // some runs are longer
    const auto instance = instance_of(net, max_steps);
    const worst::OrderSearchOptions options = options_of(400, 5);
    worst::OrderSearchState expected = worst::begin_search(instance, options);
    const WorkEnd stop = worst::continue_search(expected);
    CHECK(stop == (max_steps == 70 ? WorkEnd::endless : WorkEnd::complete));
    for (const int size : {1, 2, 4}) {
        worst::OrderSearchState state = worst::begin_search(instance, options);
        CHECK(by_team(size, state) == stop);
        CHECK(timeless(state) == timeless(expected));
    }
}

TEST_CASE("a search over orders that a team was interrupted in goes on to the same end") {
    const Net net = small_warps();
    const auto instance = instance_of(net);
    const worst::OrderSearchOptions options = options_of(400, 8);
    worst::OrderSearchState expected = worst::begin_search(instance, options);
    worst::continue_search(expected);

    worst::OrderSearchState state = worst::begin_search(instance, options);
    std::atomic<bool> interrupt = false;
    worst::OrderSearchLimits limits;
    limits.work.interrupt = &interrupt;
    limits.checkpoint = [&](const worst::OrderSearchState& reached) {
        for (const auto& chain : reached.chains)
            if (chain.iteration > 0) interrupt = true;
    };
    CHECK(by_team(3, state, limits) == WorkEnd::interrupted);
    worst::OrderSearchState again = worst::read_checkpoint(instance, worst::write_checkpoint(state));
    CHECK(by_team(2, again) == WorkEnd::complete);
    CHECK(timeless(again) == timeless(expected));
}

TEST_CASE("a search under a policy finds runs of that policy, none longer than the longest of all") {
    netgen::WarpsSpec spec;
    spec.warps.assign(3, {2, 1, 1});
    spec.global_latency = 4;
    const Net net = netgen::warps_net(spec);
    const CompiledNet compiled = compile(net);
    const std::uint64_t longest = states::run_extremes(compiled).longest.value();
    for (const Policy policy : {Policy::gto, Policy::lrr}) {
        const auto instance = std::make_shared<const worst::OrderInstance>(net, plan(compiled), 1000, policy);
        worst::OrderSearchState state = worst::begin_search(instance, options_of(100, 3));
        const worst::OrderSearchResult result = worst::search_result(state, worst::continue_search(state));
        const Schedule schedule = worst::schedule_of(*instance, result.best);
        CAPTURE(to_string(policy));
        CHECK(static_cast<std::uint64_t>(result.found) <= longest);
        CHECK(replay(compiled, net, schedule, Semantics::maximal).steps ==
              static_cast<std::uint64_t>(result.found));
        CHECK(timeless(worst::read_checkpoint(instance, worst::write_checkpoint(state))) == timeless(state));
        CHECK_THROWS_WITH(worst::read_checkpoint(instance_of(net), worst::write_checkpoint(state)),
                          Catch::Contains("another policy"));
    }
}

TEST_CASE("a limit of time ends runs of a search over strings, and costs none of what was found") {
    const Net net = small_warps();
    const auto instance = instance_of(net);
    worst::OrderSearchState state = worst::begin_search(instance, options_of(50, 2));
    const worst::OrderSearchResult found = worst::search_result(state, worst::continue_search(state));
    const Schedule schedule = worst::schedule_of(*instance, found.best);
    const std::string saved = worst::write_checkpoint(state);

    const std::atomic<bool> interrupt = true;
    WorkLimits limits;
    GENERATE_REF(0, 1) == 0 ? void(limits.interrupt = &interrupt)
                            : void(limits.deadline = std::chrono::steady_clock::time_point());
    const auto late = std::make_shared<const worst::OrderInstance>(
        net, plan(compile(net)), instance->max_steps, Policy::replayed, limits);
    CHECK(worst::schedule_of(*late, found.best) == schedule);
    CHECK(worst::order_of(*late, schedule).has_value());
    CHECK(worst::schedule_of(*late, found.best, limits).empty());
    // Nothing is known of runs that were cut off: neither a value nor a contradiction to a saved value.
    for (const worst::OrderSearchState& cut :
         {worst::begin_search(late, options_of(50, 2), limits), worst::read_checkpoint(late, saved)}) {
        CHECK(cut.chains.empty());
        CHECK_FALSE(cut.begun);
    }
}

TEST_CASE("a search says why a run does not end, and is not held up by it") {
    const auto net_of = [](bool immediate, Tokens initial) {
        NetBuilder builder("grows");
        const PlaceId p = builder.add_place("p", 1), q = builder.add_place("q", initial);
        const TransitionId t = builder.add_transition("t");
        if (immediate) builder.set_immediate(t);
        builder.add_input(p, t);
        builder.add_output(t, p);
        builder.add_output(t, q);
        return builder.build();
    };
    const auto end_of = [](const Net& net, worst::Objective objective) {
        worst::OrderSearchOptions options = options_of(100'000, 2);
        options.annealing.objective = objective;
        worst::OrderSearchState state = worst::begin_search(instance_of(net, 1'000), options);
        const WorkEnd stop = worst::continue_search(state);
        const worst::OrderSearchResult result = worst::search_result(state, stop);
        CHECK((stop == WorkEnd::endless) == (result.ended != StopReason::dead));
        CHECK(result.found == 1'000);  // like a run that is too long
        return result.ended;
    };
    CHECK(end_of(net_of(false, 0), worst::Objective::longest) == StopReason::step_limit);
    CHECK(end_of(net_of(false, max_tokens - 5), worst::Objective::longest) == StopReason::overflow);
    CHECK(end_of(net_of(true, 0), worst::Objective::longest) == StopReason::immediate_loop);
    CHECK(end_of(net_of(true, 0), worst::Objective::shortest) == StopReason::immediate_loop);
    CHECK(end_of(net_of(false, 0), worst::Objective::shortest) == StopReason::dead);  // more might end
}

TEST_CASE("a limit of time ends a run of a search") {
    NetBuilder builder("source");
    builder.add_output(builder.add_transition("t"), builder.add_place("p"));
    const Net net = builder.build();
    const auto begun = std::chrono::steady_clock::now();
    const WorkLimits limits{.deadline = begun + std::chrono::milliseconds(100)};
    const auto instance = std::make_shared<const worst::OrderInstance>(
        net, plan(compile(net)), std::uint64_t{1} << 50, Policy::replayed, limits);
    worst::OrderSearchState state = worst::begin_search(instance, options_of(100, 2), limits);
    CHECK_FALSE(state.begun);
    CHECK(state.chains.empty());
    CHECK(worst::continue_search(state, {.work = limits}) == WorkEnd::time_limit);
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(20));
}
