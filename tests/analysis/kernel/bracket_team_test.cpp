// Proofs divided among ranks find what one process finds.

#include "analysis/kernel/bracket.hpp"
#include "analysis/kernel/layered_search.hpp"
#include "engine/net/error.hpp"
#include "tests/support/any_kernel.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/kernel_vectors.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/scratch_folder.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// What each rank finds.
std::vector<LayeredResult> on_ranks(int size, const KernelInstance& instance, const SegmentBound& bound,
                                    int target, const std::vector<WorkLimits>& limits,
                                    const std::string& scratch = {}) {
    return results_of_ranks<LayeredResult>(size, [&](Collectives& ranks) {
        const WorkLimits& own = limits[static_cast<std::size_t>(ranks.rank()) % limits.size()];
        return layered_search(instance, bound, target, own, scratch, &ranks);
    });
}

Bracket bracket_on_ranks(int size, const KernelInstance& instance, const BracketOptions& options) {
    return result_in_session(
        size, options, [&](const BracketOptions& divided) { return bracket_makespan(instance, divided); },
        [&](Team& team) { follow_bracket(team, instance, options); });
}

}  // namespace

TEST_CASE("layered search: the same answer on any number of ranks, from memory and from disk") {
    const ScratchFolder folder;
    const WorkLimits roomy{.memory = 50'000'000};
    std::size_t met = 0;
    for (std::uint64_t seed = 0; seed < case_count(40); ++seed) {
        CAPTURE(seed);
        const KernelInstance instance = normalise(any_kernel(seed, {.letters = 3, .length = 8, .warps = 5}));
        for (const Objective objective : {Objective::longest, Objective::shortest}) {
            const auto bound = SegmentBound::create(instance, slack_per_class(instance, whole_runs(instance)),
                                                    objective, roomy);
            for (const int away : {-2, -1, 0}) {
                const int target = bound->makespan() + (objective == Objective::longest ? away : -away);
                const LayeredResult alone = layered_search(instance, *bound, target, roomy);
                met += alone.schedule.empty() ? 0U : 1U;
                for (const int size : {2, 3, 5}) {
                    const bool from_disk = size == 3;
                    const WorkLimits limits = from_disk ? WorkLimits{.memory = 2'000} : roomy;
                    for (const LayeredResult& found :
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
    const KernelInstance instance = normalise(voronoi(7, 4));
    const auto bound = SegmentBound::create(instance, whole_runs(instance), Objective::longest, {});
    const std::atomic<bool> interrupt = true;
    const WorkLimits roomy{};
    const WorkLimits stopping =
        GENERATE_REF(WorkLimits{.memory = 100'000}, WorkLimits{.interrupt = &interrupt},
                     WorkLimits{.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1)});
    const WorkEnd expected = layered_search(instance, *bound, 86, stopping).end;
    REQUIRE(expected != WorkEnd::complete);
    for (const LayeredResult& result : on_ranks(3, instance, *bound, 86, {roomy, roomy, stopping}))
        CHECK(result.end == expected);
    for (const LayeredResult& result : on_ranks(3, instance, *bound, 86, {stopping, roomy, roomy}))
        CHECK(result.end == expected);
}

TEST_CASE("a bracket is the same on any number of ranks") {
    const ScratchFolder folder;
    const KernelInstance instance = normalise(voronoi(7, 4));
    BracketOptions options;
    options.objective = GENERATE(Objective::longest, Objective::shortest);
    options.limits.memory = 1'000'000;  // no room for all states
    options.scratch = folder.path();
    options.beam_width = 1;
    const Bracket alone = bracket_makespan(instance, options);
    CHECK(alone.exact);
    if (options.objective == Objective::longest)
        CHECK_THAT(alone.arguments.back(), Catch::StartsWith("the layered search"));
    for (const int size : {2, 3}) {
        const Bracket divided = bracket_on_ranks(size, instance, options);
        CHECK(divided.found == alone.found);
        CHECK(divided.bound == alone.bound);
        CHECK(divided.exact == alone.exact);
        CHECK(divided.witness == alone.witness);
        CHECK(divided.arguments == alone.arguments);
        CHECK(divided.limits_hit == alone.limits_hit);
    }
}

TEST_CASE("a bracket on ranks ends at limits and at a folder that is none") {
    const KernelInstance instance = normalise(voronoi(9, 4));
    BracketOptions options;
    SECTION("of time") {
        options.limits.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
        const Bracket bracket = bracket_on_ranks(2, instance, options);
        CHECK(bracket.found <= bracket.bound);
        CHECK_FALSE(bracket.exact);
        CHECK_FALSE(bracket.limits_hit.empty());
    }
    SECTION("a folder") {
        options.scratch = "/no/such/folder";
        CHECK_THROWS_AS(bracket_on_ranks(2, instance, options), InputError);
    }
}
