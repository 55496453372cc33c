#pragma once

#include <cstdint>
#include <string>

namespace warpnet {

/// A number of steps that no run that ends exceeds (or falls below), and why.
struct StepBound {
    std::uint64_t steps = 0;
    std::string argument;  ///< the proof in words, with its numbers
};

}  // namespace warpnet
