#pragma once

#include <cstdint>
#include <string>

namespace warpnet {

/// A number of steps that no run exceeds (or falls below), and why. An upper one says that every run ends.
struct StepBound {
    std::uint64_t steps = 0;
    std::string argument;  ///< the proof in words, with its numbers
};

/// A number of steps after which no part of a net moves any more, in any run, and why. It bounds the runs
/// that end. A run can go on without its parts, so that a bound on every run takes a proof as well:
/// EndsWithParts::every_run().
struct LastMoveBound {
    std::uint64_t steps = 0;
    std::string argument;  ///< as of StepBound
};

}  // namespace warpnet
