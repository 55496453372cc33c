#pragma once

#include "analysis/worst/bounds/step_bound.hpp"
#include "netgen/sm/sm.hpp"

#include <optional>

namespace warpnet::worst {

/// Bounds on every run of an sm net under maximal steps and any policy: the time that blocks take alone, and
/// the steps in which a rate is short (proof: rate_bound.cpp). Of n blocks, R at a time, they are
///     (⌊(n - 1)/R⌋ + 1) L + launches + waits,
/// L the steps of a block alone.
struct RateBounds {
    StepBound together;  ///< each operation waits for the rate that it needs longest
    StepBound sum;       ///< each operation waits for each of its rates: never below `together`, but for
                         ///< some steps

    const StepBound& least() const { return sum.steps < together.steps ? sum : together; }
};

/// Nothing for programs whose rates have caps too small for the proof, and for numbers out of range.
/// O(operations of the bodies, and of the trips of one block, at most 10 million).
std::optional<RateBounds> rate_bounds(const netgen::SmNet& sm);

}  // namespace warpnet::worst
