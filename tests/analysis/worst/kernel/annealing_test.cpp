#include "analysis/worst/kernel/annealing.hpp"

#include "analysis/worst/kernel/precedence_string.hpp"
#include "analysis/worst/kernel/schedulers.hpp"
#include "tests/support/kernel_vectors.hpp"
#include "tests/support/plain_serial_schedule.hpp"

#include <array>

#include <catch2/catch.hpp>

using namespace warpnet;
using warpnet::testing::voronoi;

namespace {

constexpr std::uint64_t to_the_end = ~std::uint64_t{0};

worst::Chain run_chain(const netgen::KernelInstance& instance, const worst::AnnealingOptions& options,
                       worst::SearchStart start, std::uint32_t number = 0) {
    worst::Chain chain = worst::begin_chain_of<worst::KernelStrings>(instance, options, number, start);
    worst::advance_chains_of<worst::KernelStrings>(instance, options, {},
                                                   std::array{worst::ChainStretch{&chain, to_the_end}});
    return chain;
}

}  // namespace

TEST_CASE("a chain cut into pieces is the chain in one go") {
    const auto method = GENERATE(worst::AnnealingMethod::paper, worst::AnnealingMethod::portfolio);
    const netgen::KernelInstance instance = netgen::normalise(voronoi(6, 4));
    const worst::AnnealingOptions options{.method = method, .iterations = 60'000, .seed = 7};
    const worst::Chain whole = run_chain(instance, options, worst::SearchStart::random);
    CHECK(whole.iteration == options.iterations);
    worst::Chain pieces =
        worst::begin_chain_of<worst::KernelStrings>(instance, options, 0, worst::SearchStart::random);
    int cuts = 0;
    while (pieces.iteration < options.iterations) {
        const std::uint64_t until = pieces.iteration + 7'001;
        int asked = 0;
        const bool by_stop = ++cuts % 2 == 0;
        worst::advance_chains_of<worst::KernelStrings>(
            instance, options,
            {.stop = [&](const worst::Chain&) { return by_stop && ++asked > 2; }, .seconds = {}},
            std::array{worst::ChainStretch{&pieces, until}});
    }
    CHECK(pieces.current == whole.current);
    CHECK(pieces.best == whole.best);
    CHECK(pieces.best_value == whole.best_value);
    REQUIRE(pieces.log.size() == whole.log.size());
    for (std::size_t i = 0; i < whole.log.size(); ++i) {
        CHECK(pieces.log[i].iteration == whole.log[i].iteration);
        CHECK(pieces.log[i].value == whole.log[i].value);
    }
}

TEST_CASE("chains that advance together are the chains one by one") {
    const auto method = GENERATE(worst::AnnealingMethod::paper, worst::AnnealingMethod::portfolio);
    const netgen::KernelInstance instance = netgen::normalise(voronoi(6, GENERATE(std::optional<int>(), 4)));
    const worst::AnnealingOptions options{.method = method, .iterations = 5'000, .seed = 3};
    std::vector<worst::Chain> together;
    for (std::uint32_t c = 0; c < 7; ++c)  // four, two and one, then fewer as they end
        together.push_back(
            worst::begin_chain_of<worst::KernelStrings>(instance, options, c, worst::SearchStart::random));
    std::vector<worst::ChainStretch> stretches;
    for (worst::Chain& chain : together)
        stretches.push_back({&chain, options.iterations - 500 * chain.number});
    worst::advance_chains_of<worst::KernelStrings>(instance, options, {}, stretches);
    for (const worst::Chain& chain : together) {
        worst::Chain alone = worst::begin_chain_of<worst::KernelStrings>(instance, options, chain.number,
                                                                         worst::SearchStart::random);
        worst::advance_chains_of<worst::KernelStrings>(
            instance, options, {}, std::array{worst::ChainStretch{&alone, chain.iteration}});
        CHECK(chain.iteration == options.iterations - 500 * chain.number);
        CHECK(chain.current == alone.current);
        CHECK(chain.evaluations == alone.evaluations);
        CHECK(chain.best_value == alone.best_value);
    }
}

TEST_CASE("the best string of a chain has the value that is claimed") {
    const auto objective = GENERATE(worst::Objective::longest, worst::Objective::shortest);
    const netgen::KernelInstance instance = netgen::normalise(voronoi(5, 4));
    const worst::Chain chain = run_chain(instance, {.objective = objective, .iterations = 40'000},
                                         worst::SearchStart::fixed_priority);
    CHECK(worst::SerialScheduler(instance).reset(chain.best) == chain.best_value);
    CHECK(chain.log.back().value == chain.best_value);
    CHECK(chain.log.front().iteration == 0);
    for (std::size_t i = 1; i < chain.log.size(); ++i)
        CHECK(worst::better(objective, chain.log[i].value, chain.log[i - 1].value));
}

TEST_CASE("the paper's annealing to the letter") {
    const worst::SearchStart start = GENERATE(worst::SearchStart::round_robin, worst::SearchStart::random);
    const netgen::KernelInstance instance = netgen::normalise(voronoi(6, GENERATE(std::optional<int>(), 4)));
    const worst::AnnealingOptions options{
        .method = worst::AnnealingMethod::paper, .iterations = 3000, .temperature = 0.3};
    const worst::Chain chain = run_chain(instance, options, start, 3);
    const auto plain = warpnet::testing::plain_paper_annealing(
        instance, options, worst::begin_chain_of<worst::KernelStrings>(instance, options, 3, start).current,
        3);
    CHECK(chain.best_value == plain.best);
    CHECK(chain.evaluations == plain.evaluations);
}

TEST_CASE("with fairness levels a chain respects them") {
    // The Fermi template with its prelude in sub-block 1, [Raravi10]: FT = 3 * 4 + 2 for r = 1.
    const netgen::KernelInstance instance{
        .warps = 4, .type = {0, 1, 1, 0, 1}, .capacity = {2, 1}, .level = {1, 1, 1, 1, 1}};
    const worst::Chain chain = run_chain(instance, {.iterations = 20'000}, worst::SearchStart::random);
    CHECK(check_schedule(instance, decode(instance, chain.best, worst::StringReading::maximal_step)) == "");
    CHECK(chain.best_value == 14);
}
