#pragma once

#include "engine/run/run.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// The number of firings: the total and, on request, per transition.
struct FiringTally {
    std::uint64_t firings = 0;
    std::vector<std::uint64_t> counts;  ///< per transition; empty if only the total is needed

    /// Adds the firings of a step that was made this many times. O(1) if only the total is needed and each
    /// transition fired once.
    void add(std::span<const Firing> step, std::uint64_t steps, bool once_each) {
        if (once_each && counts.empty()) {
            firings += step.size() * steps;
            return;
        }
        for (const auto [transition, times] : step) {
            firings += static_cast<std::uint64_t>(times) * steps;
            if (!counts.empty()) counts[transition] += static_cast<std::uint64_t>(times) * steps;
        }
    }
};

}  // namespace warpnet
