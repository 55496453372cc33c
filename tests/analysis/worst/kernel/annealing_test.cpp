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

Chain run_chain(const KernelInstance& instance, const AnnealingOptions& options, SearchStart start,
                std::uint32_t number = 0) {
    Chain chain = begin_chain_of<KernelStrings>(instance, options, number, start);
    advance_chains_of<KernelStrings>(instance, options, {}, std::array{ChainStretch{&chain, to_the_end}});
    return chain;
}

}  // namespace

TEST_CASE("a chain cut into pieces is the chain in one go") {
    const auto method = GENERATE(AnnealingMethod::paper, AnnealingMethod::portfolio);
    const KernelInstance instance = normalise(voronoi(6, 4));
    const AnnealingOptions options{.method = method, .iterations = 60'000, .seed = 7};
    const Chain whole = run_chain(instance, options, SearchStart::random);
    CHECK(whole.iteration == options.iterations);
    Chain pieces = begin_chain_of<KernelStrings>(instance, options, 0, SearchStart::random);
    int cuts = 0;
    while (pieces.iteration < options.iterations) {
        const std::uint64_t until = pieces.iteration + 7'001;
        int asked = 0;
        const bool by_stop = ++cuts % 2 == 0;
        advance_chains_of<KernelStrings>(
            instance, options, {.stop = [&](const Chain&) { return by_stop && ++asked > 2; }, .seconds = {}},
            std::array{ChainStretch{&pieces, until}});
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
    const auto method = GENERATE(AnnealingMethod::paper, AnnealingMethod::portfolio);
    const KernelInstance instance = normalise(voronoi(6, GENERATE(std::optional<int>(), 4)));
    const AnnealingOptions options{.method = method, .iterations = 5'000, .seed = 3};
    std::vector<Chain> together;
    for (std::uint32_t c = 0; c < 7; ++c)  // four, two and one, then fewer as they end
        together.push_back(begin_chain_of<KernelStrings>(instance, options, c, SearchStart::random));
    std::vector<ChainStretch> stretches;
    for (Chain& chain : together) stretches.push_back({&chain, options.iterations - 500 * chain.number});
    advance_chains_of<KernelStrings>(instance, options, {}, stretches);
    for (const Chain& chain : together) {
        Chain alone = begin_chain_of<KernelStrings>(instance, options, chain.number, SearchStart::random);
        advance_chains_of<KernelStrings>(instance, options, {},
                                         std::array{ChainStretch{&alone, chain.iteration}});
        CHECK(chain.iteration == options.iterations - 500 * chain.number);
        CHECK(chain.current == alone.current);
        CHECK(chain.evaluations == alone.evaluations);
        CHECK(chain.best_value == alone.best_value);
    }
}

TEST_CASE("the best string of a chain has the value that is claimed") {
    const auto objective = GENERATE(Objective::longest, Objective::shortest);
    const KernelInstance instance = normalise(voronoi(5, 4));
    const Chain chain =
        run_chain(instance, {.objective = objective, .iterations = 40'000}, SearchStart::fixed_priority);
    CHECK(SerialScheduler(instance).reset(chain.best) == chain.best_value);
    CHECK(chain.log.back().value == chain.best_value);
    CHECK(chain.log.front().iteration == 0);
    for (std::size_t i = 1; i < chain.log.size(); ++i)
        CHECK(better(objective, chain.log[i].value, chain.log[i - 1].value));
}

TEST_CASE("the paper's annealing to the letter") {
    const SearchStart start = GENERATE(SearchStart::round_robin, SearchStart::random);
    const KernelInstance instance = normalise(voronoi(6, GENERATE(std::optional<int>(), 4)));
    const AnnealingOptions options{.method = AnnealingMethod::paper, .iterations = 3000, .temperature = 0.3};
    const Chain chain = run_chain(instance, options, start, 3);
    const auto plain = warpnet::testing::plain_paper_annealing(
        instance, options, begin_chain_of<KernelStrings>(instance, options, 3, start).current, 3);
    CHECK(chain.best_value == plain.best);
    CHECK(chain.evaluations == plain.evaluations);
}

TEST_CASE("with fairness levels a chain respects them") {
    // The Fermi template with its prelude in sub-block 1, [Raravi10]: FT = 3 * 4 + 2 for r = 1.
    const KernelInstance instance{
        .warps = 4, .type = {0, 1, 1, 0, 1}, .capacity = {2, 1}, .level = {1, 1, 1, 1, 1}};
    const Chain chain = run_chain(instance, {.iterations = 20'000}, SearchStart::random);
    CHECK(check_schedule(instance, decode(instance, chain.best, StringReading::maximal_step)) == "");
    CHECK(chain.best_value == 14);
}
