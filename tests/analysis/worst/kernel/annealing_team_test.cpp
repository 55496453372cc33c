#include "analysis/worst/kernel/annealing.hpp"
#include "tests/support/kernel_vectors.hpp"
#include "tests/support/ranks.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

worst::AnnealingSearchOptions options_of(worst::AnnealingMethod method) {
    return {.annealing = {.method = method, .iterations = 20'000, .temperature = 0.5, .seed = 3},
            .chains = 5};
}

/// The state of a search without its time.
std::string timeless(worst::AnnealingState state) {
    state.seconds = 0;
    for (worst::Chain& chain : state.chains)
        for (worst::Improvement& improvement : chain.log) improvement.seconds = 0;
    return worst::write_checkpoint(state);
}

WorkEnd by_team(int size, worst::AnnealingState& state, const worst::AnnealingLimits& limits = {}) {
    const worst::AnnealingState begun = state;
    return results_of_ranks<WorkEnd>(size,
                                     [&](ranks::Collectives& ranks) {
                                         if (ranks.rank() == 0)
                                             return worst::continue_search(state, limits, ranks);
                                         worst::AnnealingState own = begun;
                                         return worst::continue_search(own, {}, ranks);
                                     })
        .front();
}

}  // namespace

TEST_CASE("a team of any size searches as one process does") {
    const auto method = GENERATE(worst::AnnealingMethod::paper, worst::AnnealingMethod::portfolio,
                                 worst::AnnealingMethod::tempering);
    const netgen::KernelInstance instance = netgen::normalise(voronoi(7, 4));
    worst::AnnealingState expected = worst::begin_search<worst::KernelStrings>(instance, options_of(method));
    REQUIRE(worst::continue_search(expected) == WorkEnd::complete);
    for (const int size : {1, 2, 4}) {
        worst::AnnealingState state = worst::begin_search<worst::KernelStrings>(instance, options_of(method));
        std::atomic<std::uint64_t> iterations = 0;
        worst::AnnealingLimits limits;
        limits.iterations = &iterations;
        CHECK(by_team(size, state, limits) == WorkEnd::complete);
        CHECK(timeless(state) == timeless(expected));
        CHECK(iterations <= 5 * 20'000);
    }
}

TEST_CASE("a search that a team was interrupted in goes on to the same end, saved and by another team") {
    const auto method = GENERATE(worst::AnnealingMethod::portfolio, worst::AnnealingMethod::tempering);
    const netgen::KernelInstance instance = netgen::normalise(voronoi(7, 4));
    worst::AnnealingState expected = worst::begin_search<worst::KernelStrings>(instance, options_of(method));
    worst::continue_search(expected);

    worst::AnnealingState state = worst::begin_search<worst::KernelStrings>(instance, options_of(method));
    std::atomic<bool> interrupt = false;
    worst::AnnealingLimits limits;
    limits.work.interrupt = &interrupt;
    limits.checkpoint = [&](const worst::AnnealingState& reached) {
        for (const worst::Chain& chain : reached.chains)
            if (chain.iteration > 0) interrupt = true;
    };
    CHECK(by_team(3, state, limits) == WorkEnd::interrupted);
    worst::AnnealingState again = worst::read_checkpoint(worst::write_checkpoint(state));
    CHECK(by_team(2, again) == WorkEnd::complete);
    CHECK(timeless(again) == timeless(expected));
}

TEST_CASE("a deadline ends the search of a team") {
    worst::AnnealingState state = worst::begin_search<worst::KernelStrings>(
        netgen::normalise(voronoi(7, 4)), options_of(worst::AnnealingMethod::tempering));
    worst::AnnealingLimits limits;
    limits.work.deadline = std::chrono::steady_clock::now();
    CHECK(by_team(2, state, limits) == WorkEnd::time_limit);
}
