#pragma once

#include "netgen/code/ptx/text/module.hpp"
#include "netgen/code/ptx/values/flow.hpp"
#include "netgen/sm/kernel_profile.hpp"

#include <vector>

namespace warpnet::netgen {

/// What ptxas makes of an instruction of PTX beyond the one instruction of its class: the sequence of a
/// division or a root, on the path that ordinary numbers take, or nothing in place of a load from constant
/// memory, which is an operand of another instruction.
MachineRoutines machine_routine(const PtxFunction& function, const PtxInstruction& instruction);

/// By instruction: what ptxas saves because its result is an input of one other instruction, with which it is
/// one instruction of the machine: two operations of logic with up to three inputs (LOP3), two additions
/// (IADD3), a shift by a constant and an addition (LEA or IMAD); of 32 bits and in one block, without guards.
/// Negative, or nothing. O(instructions).
std::vector<MachineRoutines> fused_instructions(const PtxFunction& function, const PtxFlow& flow);

}  // namespace warpnet::netgen
