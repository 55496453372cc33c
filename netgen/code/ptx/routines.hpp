#pragma once

#include "netgen/code/ptx/text/module.hpp"
#include "netgen/sm/kernel_profile.hpp"

namespace warpnet {

/// What ptxas makes of an instruction of PTX beyond the one instruction of its class: the sequence of a
/// division or a root, on the path that ordinary numbers take, or nothing in place of a load from constant
/// memory, which is an operand of another instruction.
MachineRoutines machine_routine(const PtxFunction& function, const PtxInstruction& instruction);

}  // namespace warpnet
