#pragma once

#include "netgen/code/ptx/text/module.hpp"

#include <string>
#include <string_view>

namespace warpnet::netgen {

/// Whether a text is assembly of AMD GPUs rather than PTX.
bool is_gcn(std::string_view text);

/// Reads AMD GPU assembly: the output of clang with -S or -save-temps, the output of llvm-objdump -d, and
/// listings of CLRX. Each instruction counts as its counterpart in PTX (netgen/code/gcn/opcodes.hpp), so that
/// blocks, loops and counts are those of PTX modules. Sets PtxModule::machine_code.
///
/// Scalar integer instructions keep the operands that are followed, so that trips of loops with scalar
/// counters are proved. PtxInstruction::lanes tells whether the lanes of a wavefront part at a branch.
/// Unknown mnemonics are PtxClass::unknown.
///
/// Throws InputError (source:line: …) for a line that is no instruction, label or directive, a branch to a
/// missing label, a duplicate label or function, assembler macros, branches through the stack of forks, and
/// code that continues after its last instruction. O(text).
PtxModule read_gcn(std::string_view text, const std::string& source);

}  // namespace warpnet::netgen
