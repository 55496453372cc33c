#include "analysis/studies/compare/statistics.hpp"

#include "engine/base/random.hpp"

#include <array>
#include <cmath>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::studies::sample;

namespace {

using Values = std::vector<double>;

// With ties on both sides, alike and unlike.
const Values a = {12.5, 3.1, 3.1, 44.0, 7.25, 0.9, 18.0, 7.25, 7.25, 100.0};
const Values b = {10.0, 2.0, 4.5, 60.0, 4.5, 1.5, 11.0, 9.0, 4.5, 61.0};

}  // namespace

TEST_CASE("coefficients equal those of SciPy 1.10.1") {
    // scipy.stats.pearsonr, spearmanr, kendalltau (tau-b), pearsonr of numpy.log
    CHECK(pearson(a, b) == Approx(0.9036893362769957).epsilon(1e-12));
    CHECK(spearman(a, b) == Approx(0.965736773416002).epsilon(1e-12));
    CHECK(kendall(a, b) == Approx(0.9398272507881658).epsilon(1e-12));
    CHECK(log_correlation(a, b) == Approx(0.9516650799578723).epsilon(1e-12));
    const Values x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, y = {2, 1, 4, 3, 7, 5, 8, 10, 6, 9};
    CHECK(spearman(x, y) == Approx(0.8545454545454544).epsilon(1e-12));
    CHECK(kendall(x, y) == Approx(0.6888888888888888).epsilon(1e-12));
}

TEST_CASE("ranks and quantiles equal those of SciPy 1.10.1") {
    CHECK(ranks(a) == Values{7, 2.5, 2.5, 9, 5, 1, 8, 5, 5, 10});  // scipy.stats.rankdata
    const std::array<std::pair<double, double>, 6> quantiles = {
        {{0, 0.9}, {0.025, 1.395}, {0.3, 6.005}, {0.5, 7.25}, {0.975, 87.4}, {1, 100}}};  // numpy.quantile
    for (const auto& [share, value] : quantiles) CHECK(quantile(a, share) == Approx(value).epsilon(1e-12));
    CHECK(median(Values{3, 1}) == 2);
    CHECK(std::isnan(median({})));
}

TEST_CASE("a coefficient of one point or of a constant is not a number") {
    CHECK(std::isnan(pearson(Values{1}, Values{2})));
    CHECK(std::isnan(pearson(Values{1, 1, 1}, Values{1, 2, 3})));
    CHECK(std::isnan(spearman(Values{1, 2, 3}, Values{5, 5, 5})));
    CHECK(std::isnan(kendall(Values{1, 1}, Values{1, 2})));
    CHECK(pearson(Values{1, 2}, Values{4, 3}) == Approx(-1));
}

TEST_CASE("the bootstrap interval of a mean is the one of the normal approximation") {
    CounterRandom random(1, 0);
    Values values(400);
    for (double& value : values) value = random.uniform();
    const auto mean_of = [&](std::span<const std::size_t> positions) {
        double sum = 0;
        for (const std::size_t position : positions) sum += values[position];
        return sum / static_cast<double>(positions.size());
    };
    const Interval interval = bootstrap(values.size(), mean_of, 7);
    double variance = 0;
    for (const double value : values) variance += (value - mean(values)) * (value - mean(values)) / 399;
    const double half = 1.96 * std::sqrt(variance / 400);
    CHECK(interval.low == Approx(mean(values) - half).margin(0.1 * half));
    CHECK(interval.high == Approx(mean(values) + half).margin(0.1 * half));
    const Interval again = bootstrap(values.size(), mean_of, 7);
    CHECK(again.low == interval.low);
    CHECK(again.high == interval.high);
    CHECK(bootstrap(values.size(), mean_of, 8).low != interval.low);
}

TEST_CASE("resamples without a value are left out of the bootstrap") {
    const auto undefined_when_constant = [](std::span<const std::size_t> positions) {
        const Values x = {1, 2}, y = {1, 2};
        Values drawn_x, drawn_y;
        for (const std::size_t position : positions) {
            drawn_x.push_back(x[position]);
            drawn_y.push_back(y[position]);
        }
        return pearson(drawn_x, drawn_y);
    };
    const Interval interval = bootstrap(2, undefined_when_constant, 1);
    CHECK(interval.low == Approx(1));
    CHECK(interval.high == Approx(1));
}
