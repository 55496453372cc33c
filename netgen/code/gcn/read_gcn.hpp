#pragma once

#include "netgen/code/ptx/text/module.hpp"

#include <string>
#include <string_view>

namespace warpnet::netgen {

/// Whether a text is assembly of AMD GPUs rather than PTX.
bool is_gcn(std::string_view text);

/// Reads AMD GPU assembly: what clang writes with -S or -save-temps, what llvm-objdump -d prints, and
/// listings of CLRX. Every instruction counts as its counterpart in PTX (netgen/code/gcn/opcodes.hpp), so
/// that blocks, loops and counts are those of PTX modules. PtxModule::machine_code is set.
///
/// Scalar integer instructions keep their operands as far as they are followed, so that trips of loops with
/// scalar counters are proved. PtxInstruction::lanes says whether the lanes of a wavefront part at a branch.
/// Mnemonics that are unknown here are PtxClass::unknown.
///
/// Throws InputError (source:line: …) for a line that is no instruction, label or directive, a branch to a
/// label that is not there, a label or function that is there twice, assembler macros, branches through the
/// stack of forks, and code that runs on behind its last instruction. O(text).
PtxModule read_gcn(std::string_view text, const std::string& source);

}  // namespace warpnet::netgen
