#pragma once

#include "netgen/code/ptx/text/module.hpp"
#include "netgen/code/ptx/values/flow.hpp"
#include "netgen/sm/kernel_profile.hpp"

#include <vector>

namespace warpnet::netgen {

/// Approximate number of machine instructions of an integer division: a reciprocal, corrections and a test.
inline constexpr double divide_instructions = 20;

/// Instructions of a warp whose results take time to arrive.
struct PtxChain {
    double alu = 0;  ///< single precision, integers; an integer division counts with its routine
    double fp64 = 0;
    double special = 0;  ///< special functions and conversions
    double shared = 0;   ///< loads from shared memory, shuffles
    double loads = 0;    ///< from global memory, textures, atomics

    void add(const PtxChain& other, double times);
    bool operator==(const PtxChain&) const = default;
};

/// For one execution of a block: all such instructions, and those of the longest chain of dependent ones.
struct PtxBlockChain {
    PtxChain all, longest;
    bool operator==(const PtxBlockChain&) const = default;
};

/// By block of the flow. Linear in the instructions.
std::vector<PtxBlockChain> block_chains(const PtxFunction& function, const PtxFlow& flow);

/// The machine instructions that ptxas generates for a PTX instruction, in addition to the one of its class.
/// They are the sequence of a division or a root, on the path of ordinary numbers. A load from constant
/// memory needs no instruction at all, because its result is an operand of another instruction.
MachineRoutines machine_routine(const PtxFunction& function, const PtxInstruction& instruction);

/// By instruction: the machine instructions that ptxas saves by combining it with the only instruction that
/// reads its result. The pairs are two logic operations with up to three inputs (LOP3), two additions
/// (IADD3), and a shift by a constant and an addition (LEA or IMAD). Both have 32 bits, no guards, and are in
/// one block. The values are negative or zero. O(instructions).
std::vector<MachineRoutines> fused_instructions(const PtxFunction& function, const PtxFlow& flow);

}  // namespace warpnet::netgen
