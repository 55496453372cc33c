#pragma once

#include "netgen/code/ptx/text/module.hpp"

#include <optional>
#include <string>

namespace warpnet::netgen {

/// The violated limit of a constant operand or a vector of an instruction, by PTX ISA 9.0 and the checks of
/// ptxas: "expected a multiple of 8 from 24 to 256 as operand 1 of 'setmaxnreg…', found 20". Empty for
/// registers, and for opcodes that are not in the table. `architecture`: 90 for sm_90; 0: unknown.
std::optional<std::string> wrong_ptx_operand(const PtxFunction& function, const PtxInstruction& instruction,
                                             int architecture);

}  // namespace warpnet::netgen
