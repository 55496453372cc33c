// Proofs that are divided among ranks have the result of one process.

#include "analysis/worst/kernel/bracket.hpp"
#include "analysis/worst/kernel/layered_search.hpp"
#include "engine/net/error.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/kernel_vectors.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/shared_data.hpp"

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// The limits of a rank, if `limits` gives them in turn.
const WorkLimits& own(const std::vector<WorkLimits>& limits, const ranks::Collectives& ranks) {
    return limits[static_cast<std::size_t>(ranks.rank()) % limits.size()];
}

/// The result of each rank.
std::vector<worst::LayeredResult> on_ranks(int size, const netgen::KernelInstance& instance,
                                           const worst::SegmentBound& bound, int target,
                                           const std::vector<WorkLimits>& limits,
                                           const std::string& scratch = {}) {
    return results_of_ranks<worst::LayeredResult>(size, [&](ranks::Collectives& ranks) {
        return worst::layered_search(instance, bound, target, own(limits, ranks), scratch, &ranks);
    });
}

/// The table of each rank, if its limits are these in turn.
std::vector<std::optional<worst::SegmentBound>> tables_on_ranks(
    int size, const netgen::KernelInstance& instance, const worst::SegmentScheme& scheme,
    worst::Objective objective, const std::vector<WorkLimits>& limits, int expected = 0) {
    return results_of_ranks<std::optional<worst::SegmentBound>>(size, [&](ranks::Collectives& ranks) {
        return worst::SegmentBound::create(instance, scheme, objective, own(limits, ranks), expected, &ranks);
    });
}

/// The bound of the first state on each rank.
std::vector<std::optional<int>> bounds_on_ranks(int size, const netgen::KernelInstance& instance,
                                                const worst::SegmentScheme& scheme,
                                                worst::Objective objective,
                                                const std::vector<WorkLimits>& limits, int expected = 0) {
    return results_of_ranks<std::optional<int>>(size, [&](ranks::Collectives& ranks) {
        return worst::segment_bound_makespan(instance, scheme, objective, own(limits, ranks), expected,
                                             &ranks);
    });
}

std::vector<int> all_values(const worst::SegmentBound& bound, std::uint64_t states) {
    std::vector<int> values;
    for (std::uint64_t state = 0; state < states; ++state) values.push_back(bound.value(state));
    return values;
}

worst::Bracket bracket_on_ranks(int size, const netgen::KernelInstance& instance,
                                const worst::BracketOptions& options) {
    return result_on_ranks(size, options, [&](const worst::BracketOptions& own) {
        return worst::bracket_makespan(instance, own);
    });
}

}  // namespace

TEST_CASE("segment bound: the same table on any number of ranks") {
    const WorkLimits roomy{.memory = 50'000'000};
    for (std::uint64_t seed = 0; seed < case_count(16); ++seed) {
        CAPTURE(seed);
        const netgen::KernelInstance instance =
            netgen::normalise(any_kernel(seed, {.letters = 3, .length = 8, .warps = 5}));
        const worst::SegmentScheme fine = worst::whole_runs(instance);
        for (const worst::SegmentScheme& scheme : {fine, worst::slack_per_class(instance, fine)}) {
            const std::uint64_t states = worst::count_states(scheme, instance.warps);
            for (const worst::Objective objective : {worst::Objective::longest, worst::Objective::shortest}) {
                const auto alone = worst::SegmentBound::create(instance, scheme, objective, roomy);
                const std::vector<int> values = all_values(*alone, states);
                for (const int size : {2, 3, 5}) {
                    const int expected = size == 3 ? 300 : 0;  // cells of two bytes make no difference
                    for (const auto& table :
                         tables_on_ranks(size, instance, scheme, objective, {roomy}, expected)) {
                        CHECK(table->makespan() == alone->makespan());
                        CHECK(all_values(*table, states) == values);
                    }
                    for (const auto bound :
                         bounds_on_ranks(size, instance, scheme, objective, {roomy}, expected))
                        CHECK(bound == alone->makespan());
                }
            }
        }
    }
}

TEST_CASE("segment bound: what ends it on one rank ends it on all") {
    const netgen::KernelInstance instance = netgen::normalise(voronoi(6, 4));
    const worst::SegmentScheme scheme = worst::whole_runs(instance);
    const WorkLimits roomy{};
    const auto ends = [&](const WorkLimits& stopping) {
        for (const std::vector<WorkLimits>& limits :
             {std::vector{roomy, roomy, stopping}, std::vector{stopping, roomy, roomy}}) {
            for (const auto& table : tables_on_ranks(3, instance, scheme, worst::Objective::longest, limits))
                CHECK(!table);
            for (const auto bound : bounds_on_ranks(3, instance, scheme, worst::Objective::longest, limits))
                CHECK(!bound);
        }
    };
    const std::atomic<bool> interrupt = true;
    ends({.interrupt = &interrupt});
    ends({.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1)});
    // No memory at the beginning, and none later.
    std::size_t ended = 0;
    for (std::uint64_t memory = 1000; memory < 94'182; memory *= 2) {
        const WorkLimits stopping{.memory = memory};
        if (worst::segment_bound_makespan(instance, scheme, worst::Objective::longest, stopping)) continue;
        ends(stopping);
        ++ended;
    }
    CHECK(ended > 3);
}

TEST_CASE("layered search: the same answer on any number of ranks, from memory and from disk") {
    const ScratchFolder folder;
    const WorkLimits roomy{.memory = 50'000'000};
    std::size_t met = 0;
    for (std::uint64_t seed = 0; seed < case_count(16); ++seed) {
        CAPTURE(seed);
        const netgen::KernelInstance instance =
            netgen::normalise(any_kernel(seed, {.letters = 3, .length = 8, .warps = 5}));
        for (const worst::Objective objective : {worst::Objective::longest, worst::Objective::shortest}) {
            const auto bound = worst::SegmentBound::create(
                instance, worst::slack_per_class(instance, worst::whole_runs(instance)), objective, roomy);
            for (const int away : {-2, -1, 0}) {
                const int target =
                    bound->makespan() + (objective == worst::Objective::longest ? away : -away);
                const worst::LayeredResult alone = worst::layered_search(instance, *bound, target, roomy);
                met += alone.schedule.empty() ? 0U : 1U;
                for (const int size : {2, 3, 5}) {
                    const bool from_disk = size == 3;
                    const WorkLimits limits = from_disk ? WorkLimits{.memory = 2'000} : roomy;
                    for (const worst::LayeredResult& found :
                         on_ranks(size, instance, *bound, target, {limits}, from_disk ? folder.path() : "")) {
                        CHECK(found.end == WorkEnd::complete);
                        CHECK(found.schedule == alone.schedule);
                        CHECK(found.states == alone.states);
                    }
                }
            }
        }
    }
    CHECK(met > 0);
    CHECK(folder.empty());
}

TEST_CASE("layered search: what ends it on one rank ends it on all") {
    const netgen::KernelInstance instance = netgen::normalise(voronoi(7, 4));
    const auto bound =
        worst::SegmentBound::create(instance, worst::whole_runs(instance), worst::Objective::longest, {});
    const std::atomic<bool> interrupt = true;
    const WorkLimits roomy{};
    const WorkLimits stopping =
        GENERATE_REF(WorkLimits{.memory = 100'000}, WorkLimits{.interrupt = &interrupt},
                     WorkLimits{.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1)});
    const WorkEnd expected = worst::layered_search(instance, *bound, 86, stopping).end;
    REQUIRE(expected != WorkEnd::complete);
    for (const worst::LayeredResult& result : on_ranks(3, instance, *bound, 86, {roomy, roomy, stopping}))
        CHECK(result.end == expected);
    for (const worst::LayeredResult& result : on_ranks(3, instance, *bound, 86, {stopping, roomy, roomy}))
        CHECK(result.end == expected);
}

TEST_CASE("a bracket is the same on any number of ranks") {
    const ScratchFolder folder;
    const netgen::KernelInstance instance = netgen::normalise(voronoi(7, 4));
    worst::BracketOptions options;
    options.objective = GENERATE(worst::Objective::longest, worst::Objective::shortest);
    options.limits.memory = 1'000'000;  // no room for all states
    options.scratch = folder.path();
    options.beam_width = 1;
    options.divided_states = GENERATE(std::uint64_t{0}, worst::BracketOptions{}.divided_states);
    const worst::Bracket alone = worst::bracket_makespan(instance, options);
    CHECK(alone.exact);
    if (options.objective == worst::Objective::longest)
        CHECK_THAT(alone.bounds.back().argument, Catch::StartsWith("the layered search"));
    for (const int size : {2, 3}) {
        const worst::Bracket divided = bracket_on_ranks(size, instance, options);
        CHECK(divided.found == alone.found);
        CHECK(divided.bound == alone.bound);
        CHECK(divided.exact == alone.exact);
        CHECK(divided.witness == alone.witness);
        CHECK(divided.bounds == alone.bounds);
        CHECK(divided.limits_hit == alone.limits_hit);
    }
}

TEST_CASE("effort ends a bracket at the same place on any number of ranks") {
    const ScratchFolder folder;
    const netgen::KernelInstance instance = netgen::normalise(voronoi(7, 4));
    std::size_t open = 0;
    for (const std::uint64_t effort : {1'000U, 30'000U, 100'000U, 300'000U, 1'000'000U, 3'000'000U}) {
        CAPTURE(effort);
        worst::BracketOptions options;
        options.limits = {.memory = 1'000'000, .effort = effort};
        options.scratch = folder.path();  // memory is no limit here: it is the limit of each rank
        options.beam_width = 1;
        options.divided_states = 0;
        const worst::Bracket alone = worst::bracket_makespan(instance, options);
        if (!alone.exact) ++open;
        for (const int size : {2, 3}) {
            const worst::Bracket divided = bracket_on_ranks(size, instance, options);
            CHECK(divided.witness == alone.witness);
            CHECK(divided.bound == alone.bound);
            CHECK(divided.bounds == alone.bounds);
            CHECK(divided.limits_hit == alone.limits_hit);
        }
    }
    CHECK(open > 0);
}

TEST_CASE("a bracket on ranks ends at limits and at a folder that is none") {
    const netgen::KernelInstance instance = netgen::normalise(voronoi(9, 4));
    worst::BracketOptions options;
    options.divided_states = GENERATE(std::uint64_t{0}, worst::BracketOptions{}.divided_states);
    SECTION("of time") {
        options.limits.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
        const worst::Bracket bracket = bracket_on_ranks(2, instance, options);
        CHECK(bracket.found <= bracket.bound);
        CHECK_FALSE(bracket.exact);
        CHECK_FALSE(bracket.limits_hit.empty());
    }
    SECTION("a folder") {
        options.scratch = "/no/such/folder";
        CHECK_THROWS_AS(bracket_on_ranks(2, instance, options), InputError);
    }
}
