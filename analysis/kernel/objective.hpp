#pragma once

#include <cstdint>

namespace warpnet {

/// Which extreme of the makespan is sought.
enum class Objective : std::uint8_t {
    longest,   ///< the worst case that any work-conserving scheduler can cause
    shortest,  ///< the best case
};

}  // namespace warpnet
