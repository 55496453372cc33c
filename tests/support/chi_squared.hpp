#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include <boost/math/special_functions/gamma.hpp>

namespace warpnet::testing {

/// Probability that a sample of the given distribution deviates from it at least as much as `counts` does
/// (Pearson's test; neighbouring outcomes are joined until each expects 5). 0 if an impossible outcome was
/// seen.
inline double chi_squared_p(const std::map<std::uint64_t, double>& distribution,
                            const std::map<std::uint64_t, std::uint64_t>& counts) {
    double runs = 0;
    for (const auto& [outcome, count] : counts) {
        if (!distribution.contains(outcome)) return 0;
        runs += static_cast<double>(count);
    }
    double statistic = 0, expected = 0, seen = 0, left = runs;
    int cells = 0;
    for (const auto& [outcome, probability] : distribution) {
        expected += probability * runs;
        const auto at = counts.find(outcome);
        seen += at == counts.end() ? 0 : static_cast<double>(at->second);
        if (expected < 5 || left - expected < 5) continue;  // the last cell absorbs small cells
        statistic += (seen - expected) * (seen - expected) / expected;
        left -= expected;
        ++cells;
        expected = seen = 0;
    }
    if (expected > 0) {
        statistic += (seen - expected) * (seen - expected) / expected;
        ++cells;
    }
    return cells < 2 ? 1 : boost::math::gamma_q((cells - 1) / 2.0, statistic / 2);
}

/// The counts of each outcome in two samples of equal size.
template <class Outcome>
using TwoSamples = std::map<Outcome, std::pair<double, double>>;

/// The difference of two samples in standard deviations beyond the mean difference of samples of one
/// distribution: the sum of (a-b)^2/(a+b) over cells is chi-squared with cells-1 degrees of freedom. Rare
/// outcomes together are one cell. Few degrees of freedom get some tolerance. Negative if there are fewer
/// than two cells.
template <class Outcome>
double deviation_of_two_samples(const TwoSamples<Outcome>& seen) {
    double chi = 0, rare_a = 0, rare_b = 0, degrees = -1;
    for (const auto& [outcome, counts] : seen) {
        const auto [a, b] = counts;
        if (a + b < 20) {
            rare_a += a, rare_b += b;
            continue;
        }
        chi += (a - b) * (a - b) / (a + b);
        ++degrees;
    }
    if (rare_a + rare_b > 0) chi += (rare_a - rare_b) * (rare_a - rare_b) / (rare_a + rare_b), ++degrees;
    if (degrees < 1) return -1;
    return std::max(0.0, chi - degrees - 12) / std::sqrt(2 * degrees);
}

}  // namespace warpnet::testing
