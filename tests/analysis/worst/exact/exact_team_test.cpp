// Exact searches that are divided among ranks have the result of one process.

#include "analysis/worst/exact/extremes.hpp"
#include "analysis/worst/exact/local_states.hpp"
#include "analysis/worst/exact/multiset_sweep.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_parts_net.hpp"
#include "tests/support/ranks.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

Plan plan_by_hubs(const Net& net) {
    constexpr CompileOptions small_hubs = {.hub_consumers = 3};
    return plan(compile(net, small_hubs), {}, {.arrays = small_hubs});
}

Net equal_warps(std::size_t warps, netgen::WarpCounts counts) {
    netgen::WarpsSpec spec;
    spec.warps.assign(warps, counts);
    spec.schedulers = 2;
    return netgen::warps_net(spec);
}

struct Multisets {
    explicit Multisets(const Net& whole)
        : planned(plan_by_hubs(whole)),
          states(worst::local_states(planned, false, {})),
          net(fits() ? worst::multiset_net(planned, states) : worst::MultisetNet{}) {}
    bool fits() const { return states.stop == WorkEnd::complete && states.acyclic(); }

    Plan planned;
    worst::LocalStates states;
    worst::MultisetNet net;
};

std::vector<worst::MultisetSweep> on_ranks(int size, const Multisets& of,
                                           const worst::MultisetSweepOptions& options,
                                           const std::vector<WorkLimits>& limits) {
    const worst::RemainingSteps remaining(of.net);
    return results_of_ranks<worst::MultisetSweep>(size, [&](ranks::Collectives& ranks) {
        worst::MultisetSweepOptions own = options;
        own.ranks = &ranks;
        own.limits = limits[static_cast<std::size_t>(ranks.rank()) % limits.size()];
        return worst::multiset_sweep(of.net, remaining, own);
    });
}

bool equal(const std::vector<worst::LocalMove>& a, const std::vector<worst::LocalMove>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const worst::LocalMove& x, const worst::LocalMove& y) {
                          return x.after == y.after && x.position == y.position && x.edge == y.edge;
                      });
}

void check_on_ranks(const Multisets& of, const worst::MultisetSweepOptions& options) {
    const worst::MultisetSweep alone = worst::multiset_sweep(of.net, worst::RemainingSteps(of.net), options);
    for (const int size : {2, 5, 20}) {
        const std::vector<worst::MultisetSweep> divided = on_ranks(size, of, options, {options.limits});
        for (const worst::MultisetSweep& of_rank : divided) {
            CHECK(of_rank.stop == alone.stop);
            CHECK(of_rank.steps == alone.steps);
            CHECK(of_rank.states == alone.states);
            CHECK(of_rank.effort == alone.effort);
        }
        CHECK(equal(divided.front().moves, alone.moves));
    }
}

worst::ExactResult exact_on_ranks(int size, const Plan& planned, const worst::ExactOptions& options) {
    return result_on_ranks(
        size, options, [&](const worst::ExactOptions& own) { return worst::exact_extremes(planned, own); });
}

}  // namespace

TEST_CASE("layered runs: the same on any number of ranks, with and without targets and limits of effort") {
    std::size_t compared = 0;
    for (std::uint64_t seed = 1; seed <= case_count(60); ++seed) {
        CAPTURE(seed);
        const Multisets of(RandomPartsNet(seed).build());
        if (!of.fits() || of.net.positions.empty()) continue;
        for (const worst::Objective objective : {worst::Objective::longest, worst::Objective::shortest}) {
            worst::MultisetSweepOptions options;
            options.objective = objective;
            options.limits.effort = 100'000;
            check_on_ranks(of, options);
            const worst::MultisetSweep all =
                worst::multiset_sweep(of.net, worst::RemainingSteps(of.net), options);
            if (all.steps) {
                options.target = all.steps;
                check_on_ranks(of, options);
            }
            options.limits.effort = 50;
            check_on_ranks(of, options);
        }
        ++compared;
    }
    CHECK(compared > 0);
}

TEST_CASE("layered runs: a layer of many rounds is looked at in one order") {
    const Multisets of(equal_warps(3, {2, 1, 1}));
    worst::MultisetSweepOptions options;
    const worst::MultisetSweep in_one_round =
        worst::multiset_sweep(of.net, worst::RemainingSteps(of.net), options);
    options.states_of_round = 3;
    check_on_ranks(of, options);
    const worst::MultisetSweep in_many =
        worst::multiset_sweep(of.net, worst::RemainingSteps(of.net), options);
    CHECK(in_many.steps == in_one_round.steps);
    CHECK(in_many.states == in_one_round.states);
}

TEST_CASE("layered runs: what ends them on one rank ends them on all") {
    const Multisets of(equal_warps(4, {4, 1, 1}));
    const std::atomic<bool> interrupt = true;
    const WorkLimits roomy{};
    const WorkLimits stopping =
        GENERATE_REF(WorkLimits{.memory = 50'000}, WorkLimits{.interrupt = &interrupt});
    worst::MultisetSweepOptions options;
    options.limits = stopping;
    const WorkEnd expected = worst::multiset_sweep(of.net, worst::RemainingSteps(of.net), options).stop;
    REQUIRE(expected != WorkEnd::complete);
    for (const auto& limits : {std::vector{roomy, roomy, stopping}, std::vector{stopping, roomy, roomy}})
        for (const worst::MultisetSweep& result : on_ranks(3, of, {}, limits)) CHECK(result.stop == expected);
}

TEST_CASE("exact extremes are the same on any number of ranks") {
    const worst::Objective objective = GENERATE(worst::Objective::longest, worst::Objective::shortest);
    const bool longest = objective == worst::Objective::longest;
    const bool large = longest && !sanitized();
    const Plan planned =
        plan_by_hubs(equal_warps(4, large ? netgen::WarpCounts{12, 3, 3} : netgen::WarpCounts{8, 2, 2}));
    worst::ExactOptions options;
    options.objective = objective;
    const worst::ExactResult alone = worst::exact_extremes(planned, options);
    REQUIRE(alone.exact);
    for (const int size : {2, 3}) {
        const worst::ExactResult divided = exact_on_ranks(size, planned, options);
        CHECK(divided.stop == alone.stop);
        CHECK(divided.exact == alone.exact);
        CHECK(divided.found == alone.found);
        CHECK(divided.bound == alone.bound);
        CHECK(divided.schedule == alone.schedule);
        CHECK(divided.states == alone.states);
        CHECK(divided.effort == alone.effort);
    }
}
