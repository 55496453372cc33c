#pragma once

#include <cstdint>
#include <map>

#include <boost/math/special_functions/gamma.hpp>

namespace warpnet::testing {

/// Probability that a sample of the given distribution deviates from it at least as much as `counts` does
/// (Pearson's test; neighbouring outcomes are joined until each expects 5). 0 where an impossible outcome was
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
        if (expected < 5 || left - expected < 5) continue;  // the last cell takes what would be too small
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

}  // namespace warpnet::testing
