#pragma once

#include "netgen/sm/sm.hpp"

#include <cstdint>
#include <vector>

namespace warpnet::worst {

/// The service order of an sm net: warps that are served last, and before them the least or most advanced
/// warps.
struct SmService {
    enum class Last : std::uint8_t {
        none,
        last_of_block,   ///< one warp of each block, for which its other warps then wait at the barrier
        turn_of_block,   ///< the same, but a different warp than in the block before
        higher_numbers,  ///< warps in the order of their numbers within their blocks
        one_block,       ///< the block in the first slot
        one_scheduler,   ///< the warps of the first scheduler
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

/// Blocks start in the order of their slots. Firings only if requested. O(steps * warps).
SmRun run_of(const netgen::SmNet& sm, const SmService& service, bool with_firings = false);

/// A long run: the longest run of three services, those of twelve whose first waves and trips take longest.
/// Firings only if requested.
SmRun longest_run(const netgen::SmNet& sm, bool with_firings = false);

}  // namespace warpnet::worst
