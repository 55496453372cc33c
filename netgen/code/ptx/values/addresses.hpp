#pragma once

#include "netgen/code/ptx/text/module.hpp"
#include "netgen/code/ptx/values/flow.hpp"
#include "netgen/code/ptx/values/values.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace warpnet::netgen {

/// The slice of a function on which its conditions and the addresses of its accesses to shared and global
/// memory depend. Contains the data flow between its instructions.
class PtxSlice {
  public:
    static constexpr std::uint32_t no_definition = 0xFFFFFFFF;
    /// Replaces definitions that are too many, or too far away, to look at each.
    static constexpr std::uint32_t any_definition = 0xFFFFFFFE;

    PtxSlice(const PtxFunction& function, const PtxFlow& flow);

    /// The instructions to compute, in the order of the text.
    const std::vector<std::uint32_t>& instructions() const { return instructions_; }
    const std::vector<std::uint32_t>& accesses() const { return accesses_; }
    std::uint32_t block_of(std::uint32_t instruction) const { return values_.block_of(instruction); }
    /// The definitions that reach the guard of an instruction of the slice, or an operand by its position in
    /// the function. They are the ones that may be the last before it. no_definition if a path from the entry
    /// has none; any_definition alone if there are many.
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

/// An access of the warps of a block to shared or global memory.
struct PtxAccess {
    std::uint32_t instruction = 0;
    /// The share of the warps of a block that make it: those with a thread that reaches it.
    double warps = 1;
    bool known = false;       ///< false: the address is not followed, and the values below are unknown
    double transactions = 0;  ///< of one execution, as a mean over the warps that make it: passes, or sectors
    double bytes = 0;         ///< of one execution by a warp, as a mean over the warps that make it
    /// The coordinates of its block on which the address may depend: 1 x, 2 y, 4 z. Blocks that differ in the
    /// remaining coordinates use the same address.
    std::uint8_t blocks = 7;
    /// For global memory: different sectors in a block, as a share of the sum over its warps; 1 if unknown.
    double distinct = 1;
    double lines = 0;  ///< of 128 bytes, in global memory, for all warps of a block together
    /// For global memory: the share of the sectors that are loaded for the first time. That is, no other warp
    /// of the block, access to the same row or earlier iteration loads them. 1 if unknown.
    double fresh = 1;
    double fresh_of_warp = 1;  ///< the same, counting only earlier loads of the same warp
    double passes = 0;         ///< of one execution: different lines of 128 bytes, as a mean over the warps
    /// For global memory: the threads of a warp (mean over the warps that make it), if all threads of the
    /// launch access the same word every time; 0 otherwise.
    double one_word = 0;
    double live_bytes = 0;  ///< of a block, in one iteration; 0 for all but one of the accesses to a row
};

/// The facts that follow from the addresses of a kernel and its conditions on the number of the thread.
struct PtxWarps {
    std::vector<PtxAccess> accesses;  ///< to shared and global memory, in program order
    /// By block of the flow: the share of the warps of a thread block that executes it.
    std::vector<double> share;
    /// By warp of a thread block, or by examined warp: whether it executes each block.
    std::vector<std::vector<bool>> executes;
    /// By the same warps: the instructions with ptx_has_unit() whose guard is false for all lanes.
    std::vector<std::vector<std::uint32_t>> skips;
    bool needs_shape = false;  ///< %tid.y or %tid.z is read, but the shape of a block is unknown
};

/// Follows the addresses of all accesses for the lanes of each warp of a block, by abstract interpretation to
/// a fixpoint over PtxLanes. A block has the launch's shape, or is one row if the shape is unknown. All
/// threads of a block are assumed to be present unless conditions on known numbers exclude them. An unknown
/// value that is the same for all lanes is assumed to be aligned: pointer parameters, products with the
/// number of the block. Linear in the instructions on which addresses and conditions depend, times the
/// examined warps (at most 32).
PtxWarps follow_ptx_warps(const PtxFunction& function, const PtxFlow& flow, const PtxLaunch& launch);

}  // namespace warpnet::netgen
