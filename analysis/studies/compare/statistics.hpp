#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace warpnet::studies::sample {

// Statistics of n pairs (x, y), both spans of the same length. A coefficient is not a number if n < 2 or if
// one side is constant. The pairs need no order.

/// Product-moment correlation. O(n).
double pearson(std::span<const double> x, std::span<const double> y);
/// Pearson's coefficient of the ranks, equal values sharing their mean rank. O(n log n).
double spearman(std::span<const double> x, std::span<const double> y);
/// Kendall's tau-b: pairs ordered alike minus pairs ordered unlike, corrected for ties. O(n^2).
double kendall(std::span<const double> x, std::span<const double> y);
/// Pearson's coefficient of the logarithms; values must be positive.
double log_correlation(std::span<const double> x, std::span<const double> y);

/// Ranks from 1, equal values share their mean rank.
std::vector<double> ranks(std::span<const double> values);

double mean(std::span<const double> values);
/// The middle value, or the mean of the two in the middle; not a number if there is none.
double median(std::span<const double> values);
/// Linear between the sorted values (type 7 of Hyndman and Fan), 0 <= share <= 1.
double quantile(std::span<const double> values, double share);

struct Interval {
    double low = 0;
    double high = 0;
};

/// 95 % percentile bootstrap: `statistic` of `resamples` draws of n positions with replacement. Resamples for
/// which it is not a number are left out. Random numbers depend on (seed, number of the resample) alone.
Interval bootstrap(std::size_t n, const std::function<double(std::span<const std::size_t>)>& statistic,
                   std::uint64_t seed, std::uint64_t resamples = 2000);

}  // namespace warpnet::studies::sample
