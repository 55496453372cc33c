#pragma once

#include <cmath>
#include <map>
#include <utility>

namespace warpnet::testing {

/// How often each outcome was seen in the first and in the second of two samples of equal size.
template <class Outcome>
using TwoSamples = std::map<Outcome, std::pair<double, double>>;

/// By how many standard deviations two samples differ more than samples of one distribution do on average:
/// the sum of (a-b)^2/(a+b) over cells is chi-squared with cells-1 degrees of freedom; rare outcomes together
/// are one cell, and few degrees are given some room. Negative where there are fewer than two cells.
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
