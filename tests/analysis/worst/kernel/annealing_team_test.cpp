#include "analysis/worst/kernel/annealing.hpp"
#include "tests/support/kernel_vectors.hpp"
#include "tests/support/ranks.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

AnnealingSearchOptions options_of(AnnealingMethod method) {
    return {.annealing = {.method = method, .iterations = 20'000, .temperature = 0.5, .seed = 3},
            .chains = 5};
}

/// All of a search but the time it took.
std::string timeless(AnnealingState state) {
    state.seconds = 0;
    for (Chain& chain : state.chains)
        for (Improvement& improvement : chain.log) improvement.seconds = 0;
    return write_checkpoint(state);
}

WorkEnd by_team(int size, AnnealingState& state, const AnnealingLimits& limits = {}) {
    const AnnealingState begun = state;
    return results_of_ranks<WorkEnd>(size,
                                     [&](Collectives& ranks) {
                                         if (ranks.rank() == 0) return continue_search(state, limits, ranks);
                                         AnnealingState own = begun;
                                         return continue_search(own, {}, ranks);
                                     })
        .front();
}

}  // namespace

TEST_CASE("a team of any size searches as one process does") {
    const auto method =
        GENERATE(AnnealingMethod::paper, AnnealingMethod::portfolio, AnnealingMethod::tempering);
    const KernelInstance instance = normalise(voronoi(7, 4));
    AnnealingState expected = begin_search<KernelStrings>(instance, options_of(method));
    REQUIRE(continue_search(expected) == WorkEnd::complete);
    for (const int size : {1, 2, 4}) {
        AnnealingState state = begin_search<KernelStrings>(instance, options_of(method));
        std::atomic<std::uint64_t> iterations = 0;
        AnnealingLimits limits;
        limits.iterations = &iterations;
        CHECK(by_team(size, state, limits) == WorkEnd::complete);
        CHECK(timeless(state) == timeless(expected));
        CHECK(iterations <= 5 * 20'000);
    }
}

TEST_CASE("a search that a team was interrupted in goes on to the same end, saved and by another team") {
    const auto method = GENERATE(AnnealingMethod::portfolio, AnnealingMethod::tempering);
    const KernelInstance instance = normalise(voronoi(7, 4));
    AnnealingState expected = begin_search<KernelStrings>(instance, options_of(method));
    continue_search(expected);

    AnnealingState state = begin_search<KernelStrings>(instance, options_of(method));
    std::atomic<bool> interrupt = false;
    AnnealingLimits limits;
    limits.work.interrupt = &interrupt;
    limits.checkpoint = [&](const AnnealingState& reached) {
        for (const Chain& chain : reached.chains)
            if (chain.iteration > 0) interrupt = true;
    };
    CHECK(by_team(3, state, limits) == WorkEnd::interrupted);
    AnnealingState again = read_checkpoint(write_checkpoint(state));
    CHECK(by_team(2, again) == WorkEnd::complete);
    CHECK(timeless(again) == timeless(expected));
}

TEST_CASE("a deadline ends the search of a team") {
    AnnealingState state =
        begin_search<KernelStrings>(normalise(voronoi(7, 4)), options_of(AnnealingMethod::tempering));
    AnnealingLimits limits;
    limits.work.deadline = std::chrono::steady_clock::now();
    CHECK(by_team(2, state, limits) == WorkEnd::time_limit);
}
