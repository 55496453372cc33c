#pragma once

#include "netgen/code/ptx/flow.hpp"
#include "netgen/code/ptx/launch.hpp"
#include "netgen/code/ptx/module.hpp"

#include <cstdint>
#include <vector>

namespace warpnet {

/// An access to shared or global memory, as the warps of a block make it.
struct PtxAccess {
    std::uint32_t instruction = 0;
    /// Of the warps of a block, the share that makes it at all: those of which some thread gets there.
    double warps = 1;
    bool known = false;       ///< what follows is not known where the address is not followed
    double transactions = 0;  ///< of one execution, mean over the warps that make it: passes, or sectors
    double bytes = 0;         ///< of one execution by a warp, mean over the warps that make it
    /// Of which coordinates of its block the address may depend: 1 x, 2 y, 4 z. Blocks that differ in others
    /// use the same.
    std::uint8_t blocks = 7;
    /// Of global memory: different sectors in a block, as a share of the sum over its warps; 1 where not
    /// known.
    double distinct = 1;
    double lines = 0;  ///< of 128 bytes, all warps of a block together; of global memory
};

/// What the addresses of a kernel and its conditions on the number of the thread say.
struct PtxWarps {
    std::vector<PtxAccess> accesses;  ///< to shared and global memory, in program order
    /// By block of the flow: of the warps that a thread block has, the share that executes it.
    std::vector<double> share;
    /// By warp of a thread block, or of those that were looked at: whether it executes each block.
    std::vector<std::vector<bool>> executes;
    bool needs_shape = false;  ///< %tid.y or %tid.z is read, but the shape of a block is not known
};

/// Follows the addresses of all accesses for the lanes of each warp of a block of the launch's shape (one row
/// where that is not known): abstract interpretation to a fixpoint over PtxLanes. All threads of a block are
/// taken to be there that conditions on known numbers do not exclude. What is unknown but the same for all
/// lanes is taken as aligned: parameters that point, products with the number of the block. Linear in the
/// instructions on which addresses and conditions depend, times the warps looked at (at most 32).
PtxWarps follow_ptx_warps(const PtxFunction& function, const PtxFlow& flow, const PtxLaunch& launch);

}  // namespace warpnet
