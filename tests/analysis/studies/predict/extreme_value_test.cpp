#include "analysis/studies/predict/extreme_value.hpp"

#include "engine/base/random.hpp"

#include <cmath>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

std::vector<double> sample_of(const studies::ExtremeValue& distribution, std::size_t size,
                              std::uint64_t seed) {
    CounterRandom random(seed, 0);
    std::vector<double> sample;
    while (sample.size() < size)
        sample.push_back(distribution.quantile(1e-15 + (1 - 2e-15) * random.uniform()));
    return sample;
}

}  // namespace

TEST_CASE("quantiles of extreme-value distributions invert their cumulative probabilities") {
    for (const double shape : {-0.3, 0.0, 0.2}) {
        const studies::ExtremeValue distribution{100, 7, shape};
        for (const double probability : {0.001, 0.1, 0.5, 0.9, 0.9999})
            CHECK(distribution.cumulative(distribution.quantile(probability)) == Approx(probability));
    }
    // Gumbel's median is location - scale ln ln 2. Beyond its end a distribution has no quantiles.
    CHECK(studies::ExtremeValue{10, 2, 0}.quantile(0.5) == Approx(10 - 2 * std::log(std::log(2.0))));
    CHECK(studies::ExtremeValue{0, 1, -0.5}.cumulative(2.1) == 1);
    CHECK(studies::ExtremeValue{0, 1, 0.5}.cumulative(-2.1) == 0);
}

TEST_CASE("fits find the parameters that a large sample was drawn with") {
    for (const double shape : {-0.25, 0.0, 0.15}) {
        const studies::ExtremeValue drawn{5000, 20, shape};
        const std::vector<double> sample = sample_of(drawn, 20'000, 3);
        const studies::ExtremeValue fitted = studies::fit_extreme_value(sample);
        CHECK(fitted.location == Approx(drawn.location).margin(0.5));
        CHECK(fitted.scale == Approx(drawn.scale).epsilon(0.03));
        CHECK(fitted.shape == Approx(drawn.shape).margin(0.03));
        if (shape != 0) continue;
        const studies::ExtremeValue gumbel = studies::fit_gumbel(sample);
        CHECK(gumbel.location == Approx(drawn.location).margin(0.5));
        CHECK(gumbel.scale == Approx(drawn.scale).epsilon(0.03));
    }
}

TEST_CASE("the Anderson-Darling statistic by its definition") {
    // Cumulative probabilities 0.2 and 0.7: -2 - (ln 0.2 + ln 0.3 + 3 (ln 0.7 + ln 0.8)) / 2.
    const studies::ExtremeValue distribution{0, 1, 0};
    const std::vector<double> sample{distribution.quantile(0.7), distribution.quantile(0.2)};
    const double expected = -2 - (std::log(0.2) + std::log(0.3) + 3 * (std::log(0.7) + std::log(0.8))) / 2;
    CHECK(studies::anderson_darling(sample, distribution) == Approx(expected));
}

TEST_CASE("a tail is estimated from blocks of runs, and what does not fit is rejected") {
    // The maximum of a block of exponential values is nearly Gumbel's.
    CounterRandom random(5, 0);
    std::vector<std::uint64_t> exponential, two_values, few;
    for (int i = 0; i < 40'000; ++i) {
        exponential.push_back(1000 + static_cast<std::uint64_t>(-50 * std::log(1 - random.uniform())));
        two_values.push_back(random.below(200) == 0 ? 2000 : 1000);
    }
    const studies::TailEstimate good = studies::estimate_tail(exponential, 1);
    CHECK(good.block == 200);
    CHECK(good.blocks == 200);
    CHECK(good.gumbel.p > 0.05);
    CHECK(good.extreme_value.p > 0.05);
    // Exceeded with probability 1e-6 : 1000 + 50 ln 10^6.
    REQUIRE(good.levels.size() == 5);
    CHECK(good.levels[3].gumbel == Approx(1000 + 50 * std::log(1e6)).epsilon(0.1));
    REQUIRE(good.quantiles.size() == 4);
    CHECK(good.quantiles[3].probability == 0.999);
    CHECK(static_cast<double>(good.quantiles[3].steps) == Approx(1000 + 50 * std::log(1e3)).epsilon(0.05));

    const studies::TailEstimate bad = studies::estimate_tail(two_values, 1);
    CHECK(bad.gumbel.p < 0.01);

    few.assign(399, 7);
    CHECK(studies::estimate_tail(few, 1).block == 0);
    CHECK_FALSE(studies::estimate_tail(few, 1).why_no_fit.empty());
    few.assign(400, 7);
    CHECK(studies::estimate_tail(few, 1).why_no_fit == "the longest run is as long in every block");
}
