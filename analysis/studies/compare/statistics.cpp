// Correlations, ranks, quantiles and bootstrap intervals. Equal values share their mean rank, and Kendall's
// tau-b is corrected for ties by comparing all pairs, O(n²). Each resample of the bootstrap has its own
// random stream, so an interval depends on the seed alone. Undefined coefficients are not a number.

#include "analysis/studies/compare/statistics.hpp"

#include "engine/base/random.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace warpnet::studies::sample {

namespace {
constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
}  // namespace

double mean(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double quantile(std::span<const double> values, double share) {
    if (values.empty()) return undefined;
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    const double position = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double median(std::span<const double> values) { return quantile(values, 0.5); }

double pearson(std::span<const double> x, std::span<const double> y) {
    if (x.size() < 2) return undefined;
    const double mean_x = mean(x), mean_y = mean(y);
    double xy = 0, xx = 0, yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double dx = x[i] - mean_x, dy = y[i] - mean_y;
        xy += dx * dy;
        xx += dx * dx;
        yy += dy * dy;
    }
    return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : undefined;
}

std::vector<double> ranks(std::span<const double> values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> result(values.size());
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin;
        while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
        const double rank = static_cast<double>(begin + end + 1) / 2;
        for (std::size_t i = begin; i < end; ++i) result[order[i]] = rank;
        begin = end;
    }
    return result;
}

double spearman(std::span<const double> x, std::span<const double> y) { return pearson(ranks(x), ranks(y)); }

double kendall(std::span<const double> x, std::span<const double> y) {
    std::int64_t balance = 0, untied_x = 0, untied_y = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const std::int64_t dx = (x[i] > x[j]) - (x[i] < x[j]);
            const std::int64_t dy = (y[i] > y[j]) - (y[i] < y[j]);
            balance += dx * dy;
            untied_x += dx * dx;
            untied_y += dy * dy;
        }
    }
    if (untied_x == 0 || untied_y == 0) return undefined;
    return static_cast<double>(balance) /
           std::sqrt(static_cast<double>(untied_x) * static_cast<double>(untied_y));
}

double log_correlation(std::span<const double> x, std::span<const double> y) {
    std::vector<double> log_x, log_y;
    for (const double value : x) log_x.push_back(std::log(value));
    for (const double value : y) log_y.push_back(std::log(value));
    return pearson(log_x, log_y);
}

Interval bootstrap(std::size_t n, const std::function<double(std::span<const std::size_t>)>& statistic,
                   std::uint64_t seed, std::uint64_t resamples) {
    std::vector<double> values;
    std::vector<std::size_t> positions(n);
    for (std::uint64_t resample = 0; resample < resamples && n > 0; ++resample) {
        CounterRandom random(seed, resample);
        for (std::size_t& position : positions) position = random.below(static_cast<std::uint32_t>(n));
        const double value = statistic(positions);
        if (!std::isnan(value)) values.push_back(value);
    }
    return {quantile(values, 0.025), quantile(values, 0.975)};
}

}  // namespace warpnet::studies::sample
