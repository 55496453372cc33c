#pragma once

#include "netgen/code/ptx/values.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace warpnet {

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
    /// slice, and the guard of an instruction: those that may be the last before it, no_definition where
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
    std::vector<std::uint32_t> seen_;  // by block: the search that came there last
    std::uint32_t search_ = 0;
};

}  // namespace warpnet
