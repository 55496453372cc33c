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

/// What some threads of a launch do in a function, as far as constants, parameters and the numbers of the
/// threads say.
struct PtxPath {
    std::vector<bool> reached;  ///< by block: whether they may execute it
    std::vector<bool> guards;   ///< by PtxThreads::guarded: whether its guard may hold if they come there
    /// By block that ends in a condition: 1 they may take the first way, 2 the second; 3 it is open.
    std::vector<std::uint8_t> ways;
    std::vector<std::optional<PtxTripCount>> trips;  ///< by loop; nothing: not proved, or not reached
    /// They execute all blocks and guarded instructions that they may execute, and prove the trips of all
    /// loops.
    bool exact = true;
    bool operator==(const PtxPath&) const = default;
    bool operator<(const PtxPath& other) const;
};

/// Warps whose lanes follow the same paths.
struct PtxWarpClass {
    std::vector<std::uint32_t> paths;  ///< positions in PtxThreads::paths, each once
    std::int64_t warps = 0;            ///< of the launch; of a block if the grid is not known
    std::uint32_t numbers = 0;         ///< those of the warps in their blocks, a bit each
};

/// The threads of a launch.
struct PtxThreads {
    /// The instructions under a guard that ptx_has_unit(), in the order of the text.
    std::vector<std::uint32_t> guarded;
    /// The positions in `guarded` of the instructions of a block, [first, last).
    std::array<std::size_t, 2> guarded_in(const PtxBlock& block) const;
    /// False: lanes of some warp differ, and the path is that of the lane that does all that any of them
    /// does.
    bool lanes_alike = true;
    std::vector<PtxPath> paths;
    /// One class of one warp if the shape of a block is not known.
    std::vector<PtxWarpClass> classes;
};

/// The instructions of the flow's blocks under a guard that ptx_has_unit(), in the order of the text.
std::vector<std::uint32_t> guarded_ptx_units(const PtxFunction& function, const PtxFlow& flow);

/// How often a loop runs each time a warp reaches it: the most of its lanes.
struct PtxLoopTrips {
    bool reached = false;    ///< by any thread
    bool proved = true;      ///< for all threads that reach the loop; else what follows holds for the others
    bool exact = true;       ///< the loop has no other ways out, and no number is an interval
    std::int64_t least = 0;  ///< of the warps
    std::int64_t most = 0;
    std::int64_t surely = 0;  ///< some thread runs it so often
};
PtxLoopTrips ptx_loop_trips(const PtxThreads& threads, const PtxFlow& flow, std::uint32_t loop);

/// Divides the threads of a launch into those that do the same. The function is interpreted for all threads
/// at once, with an interval for each register that a condition depends on. If a condition or the trips of a
/// loop then depend on the coordinates of a thread, the threads are halved along one of them, first the
/// blocks, the largest parts first. After most_work instructions parts are left as they are: threads that
/// differ there take both ways, and between the fewest and the most trips. Sound for every
/// thread; [Cousot77] is the method.
///
/// Throws InputError for more than 1024 threads in a block, and for more than 2^63 - 1 warps.
PtxThreads follow_ptx_threads(const PtxModule& module, const PtxFunction& function, const PtxFlow& flow,
                              PtxConstants& constants);

}  // namespace warpnet::netgen
