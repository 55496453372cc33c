#pragma once

#include "engine/run/run.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// How often transitions have fired: all together and, where that was asked for, each.
struct FiringTally {
    std::uint64_t firings = 0;
    std::vector<std::uint64_t> counts;  ///< per transition; empty where only the sum is wanted

    /// Firings of one step that was made so many times. O(1) if only the sum is wanted and each transition
    /// fired once.
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
