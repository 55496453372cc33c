#pragma once

#include "netgen/sm/sm.hpp"

#include <cstdint>
#include <vector>

namespace warpnet::worst {

/// Which warps of an sm net are served last, and among the others those that are the least far, or the
/// farthest.
struct SmService {
    enum class Last : std::uint8_t {
        none,
        last_of_block,   ///< one warp of each block, for which the others then wait at the barrier
        higher_numbers,  ///< warps in the order of their numbers within their blocks
        lower_numbers,   ///< the reverse
        older_blocks,    ///< blocks that started earlier
    };
    Last last = Last::none;
    bool lockstep = true;
};

/// A firing of an operation; `slot`: the one that a load takes, from 1 on, and 0 for other operations.
struct SmFiring {
    std::uint32_t warp, op, slot;
};

/// A run of sm_net() under maximal steps: its steps, and the firings of operations in the order of service.
struct SmRun {
    std::uint64_t steps = 0;
    std::vector<SmFiring> firings;
};

/// Blocks start in the order of their slots. Firings only if asked for. O(steps * warps).
SmRun run_of(const netgen::SmNet& sm, const SmService& service, bool with_firings = false);

/// A service whose run is long: the best of ten, tried on the first waves and trips.
SmService longest_service(const netgen::SmNet& sm);

}  // namespace warpnet::worst
