#pragma once

#include "netgen/code/ptx/values/flow.hpp"
#include "netgen/code/ptx/values/trips.hpp"
#include "netgen/code/ptx/values/values.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpnet::netgen {

/// The paths of some threads of a launch in a function, as far as constants, parameters and the numbers of
/// the threads determine them.
struct PtxPath {
    std::vector<bool> reached;  ///< by block: whether they may execute it
    std::vector<bool> guards;   ///< by PtxThreads::guarded: whether its guard may hold when they reach it
    /// By block that ends in a condition: 1 if they may take the first way, 2 the second, 3 both.
    std::vector<std::uint8_t> ways;
    std::vector<std::optional<PtxTripCount>> trips;  ///< by loop; nothing: not proved, or not reached
    /// They execute all blocks and guarded instructions that they may execute, and the trips of all loops are
    /// proved.
    bool exact = true;
    bool operator==(const PtxPath&) const = default;
    bool operator<(const PtxPath& other) const;
};

/// Warps whose lanes follow the same paths.
struct PtxWarpClass {
    std::vector<std::uint32_t> paths;  ///< positions in PtxThreads::paths, each once
    std::int64_t warps = 0;            ///< of the launch, or of a block if the grid is unknown
    std::uint32_t numbers = 0;         ///< their numbers in their blocks, as bits
};

/// The threads of a launch.
struct PtxThreads {
    /// The guarded instructions with ptx_has_unit(), in the order of the text.
    std::vector<std::uint32_t> guarded;
    /// The positions in `guarded` of the instructions of a block, [first, last).
    std::array<std::size_t, 2> guarded_in(const PtxBlock& block) const;
    /// False: lanes of some warp differ, and the path contains all that any of its lanes executes.
    bool lanes_alike = true;
    std::vector<PtxPath> paths;
    /// A single class with one warp if the shape of a block is unknown.
    std::vector<PtxWarpClass> classes;
};

/// The guarded instructions of the flow's blocks with ptx_has_unit(), in the order of the text.
std::vector<std::uint32_t> guarded_ptx_units(const PtxFunction& function, const PtxFlow& flow);

/// Trips of a loop per entry by a warp: the most of its lanes.
struct PtxLoopTrips {
    bool reached = false;    ///< by any thread
    bool proved = true;      ///< for all reaching threads; if false, the values below omit the unproved ones
    bool exact = true;       ///< the loop has no other exits, and no number is an interval
    std::int64_t least = 0;  ///< of the warps
    std::int64_t most = 0;
    std::int64_t surely = 0;  ///< some thread runs it this many times
};
PtxLoopTrips ptx_loop_trips(const PtxThreads& threads, const PtxFlow& flow, std::uint32_t loop);

/// Divides the threads of a launch into those with the same paths. The function is interpreted for all
/// threads at once, with an interval for each register on which a condition depends. If a condition or the
/// trips of a loop then depend on the coordinates of a thread, the threads are halved along one of them.
/// Blocks are halved first, and the largest parts first. After most_work instructions the parts stay as they
/// are: threads that differ there take both ways, and between the fewest and the most trips. Sound for every
/// thread; the method is [Cousot77].
///
/// Throws InputError for more than 1024 threads in a block, and for more than 2^63 - 1 warps.
PtxThreads follow_ptx_threads(const PtxModule& module, const PtxFunction& function, const PtxFlow& flow,
                              PtxConstants& constants);

}  // namespace warpnet::netgen
