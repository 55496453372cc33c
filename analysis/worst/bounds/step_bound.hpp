#pragma once

#include <cstdint>
#include <string>

namespace warpnet::worst {

/// A number of steps that no run exceeds (or falls below), and the proof. An upper bound proves that every
/// run ends.
struct StepBound {
    std::uint64_t steps = 0;
    std::string argument;  ///< the proof in words, with its numbers
    bool operator==(const StepBound&) const = default;
};

/// A number of steps after which no part of a net moves any more, in any run, and the proof. It bounds the
/// runs that end. A run can continue without its parts, so a bound on every run also requires
/// EndsWithParts::every_run().
struct LastMoveBound {
    std::uint64_t steps = 0;
    std::string argument;  ///< as in StepBound
};

}  // namespace warpnet::worst
