#pragma once

#include "netgen/code/ptx/text/module.hpp"

#include <optional>
#include <string>

namespace warpnet::netgen {

/// What is wrong with a constant operand or a vector of an instruction, as PTX ISA 9.0 limits them and ptxas
/// checks: "expected a multiple of 8 from 24 to 256 as operand 1 of 'setmaxnreg…', found 20". Nothing for
/// registers, and for opcodes that are not in the table. `architecture`: 90 of sm_90; 0: not known.
std::optional<std::string> wrong_ptx_operand(const PtxFunction& function, const PtxInstruction& instruction,
                                             int architecture);

}  // namespace warpnet::netgen
