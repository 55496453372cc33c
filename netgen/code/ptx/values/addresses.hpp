#pragma once

#include "netgen/code/ptx/text/module.hpp"
#include "netgen/code/ptx/values/flow.hpp"
#include "netgen/code/ptx/values/values.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace warpnet::netgen {

/// The slice of a function on which the addresses of its accesses to shared and global memory and its
/// conditions depend, and how each part of it reaches the others.
class PtxSlice {
  public:
    static constexpr std::uint32_t no_definition = 0xFFFFFFFF;
    /// In place of definitions that are too many, or too far away, to look at each.
    static constexpr std::uint32_t any_definition = 0xFFFFFFFE;

    PtxSlice(const PtxFunction& function, const PtxFlow& flow);

    /// What has to be computed, in the order of the text.
    const std::vector<std::uint32_t>& instructions() const { return instructions_; }
    const std::vector<std::uint32_t>& accesses() const { return accesses_; }
    std::uint32_t block_of(std::uint32_t instruction) const { return values_.block_of(instruction); }
    /// The definitions that reach an operand (by its position in the function) of an instruction of the
    /// slice, and the guard of an instruction: those that may be the last before it, no_definition if
    /// there is a way from the entry without one; any_definition alone for more than a few.
    const std::vector<std::uint32_t>& of_operand(std::uint32_t operand) const {
        return definitions_of_[operand];
    }
    const std::vector<std::uint32_t>& of_guard(std::uint32_t instruction) const {
        return guards_.at(instruction);
    }
    bool is_defined(PtxRegister reg) const { return !values_.definitions(reg).empty(); }

  private:
    void add_operands(std::uint32_t at, bool addresses_only);
    void follow(const std::vector<std::uint32_t>& definitions);
    std::vector<std::uint32_t> reaching(std::uint32_t block, std::uint32_t at, PtxRegister reg);

    const PtxFunction& function_;
    const PtxFlow& flow_;
    PtxLaunch nothing_;
    PtxConstants values_;
    std::vector<bool> is_in_;                                 // by instruction
    std::vector<std::vector<std::uint32_t>> definitions_of_;  // by operand
    std::map<std::uint32_t, std::vector<std::uint32_t>> guards_;
    std::vector<std::uint32_t> pending_, instructions_, accesses_;
};

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
    /// Of global memory: of the sectors, the share that neither another warp of the block, nor an access to
    /// the same row, nor an iteration before asked for; 1 where not known.
    double fresh = 1;
    double fresh_of_warp = 1;  ///< the same, that the warp itself did not ask for
    double passes = 0;         ///< of one execution: different lines of 128 bytes, mean over the warps
    /// Of global memory: the threads of a warp (mean over those that make it), if all threads of the launch
    /// ask for the same word every time; 0 otherwise.
    double one_word = 0;
    double live_bytes = 0;  ///< of a block, in one iteration; 0 for all but one of the accesses to a row
};

/// What the addresses of a kernel and its conditions on the number of the thread say.
struct PtxWarps {
    std::vector<PtxAccess> accesses;  ///< to shared and global memory, in program order
    /// By block of the flow: of the warps that a thread block has, the share that executes it.
    std::vector<double> share;
    /// By warp of a thread block, or of those that were looked at: whether it executes each block.
    std::vector<std::vector<bool>> executes;
    /// By the same warps: the instructions of those that ptx_has_unit() whose guard is false for all lanes.
    std::vector<std::vector<std::uint32_t>> skips;
    bool needs_shape = false;  ///< %tid.y or %tid.z is read, but the shape of a block is not known
};

/// Follows the addresses of all accesses for the lanes of each warp of a block of the launch's shape (one row
/// if that is not known): abstract interpretation to a fixpoint over PtxLanes. All threads of a block are
/// taken to be there that conditions on known numbers do not exclude. What is unknown but the same for all
/// lanes is taken as aligned: parameters that point, products with the number of the block. Linear in the
/// instructions on which addresses and conditions depend, times the warps looked at (at most 32).
PtxWarps follow_ptx_warps(const PtxFunction& function, const PtxFlow& flow, const PtxLaunch& launch);

}  // namespace warpnet::netgen
