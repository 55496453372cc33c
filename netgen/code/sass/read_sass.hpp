#pragma once

#include "netgen/code/ptx/text/module.hpp"

#include <string>
#include <string_view>

namespace warpnet::netgen {

/// Whether a text is a listing of machine code, as cuobjdump -sass and nvdisasm write it, rather than PTX.
bool is_sass(std::string_view text);

/// Reads such a listing for Volta, Turing, Ampere, Ada and Hopper (one instruction per line behind its
/// address). Every instruction counts as its counterpart in PTX (netgen/code/sass/README.md has the table),
/// so that all that is known of PTX modules holds: blocks, loops, counts. Labels are those of nvdisasm
/// (".L_x_2") or the addresses that branches name ("0x80"). Operands are read only as far as they decide
/// where the code continues (control_flow.hpp), so that no trips are proved. PtxModule::machine_code is set.
///
/// Code that a function calls inside its own listing becomes a function of the module, named by the target of
/// the call. Opcodes that are not known here are PtxClass::unknown. If a function is there for several
/// architectures, the first is read. Throws InputError (source:line: …) if there is no function, an
/// instruction has no opcode, a branch goes to a label that is not there, or connect_sass() throws. O(text).
PtxModule read_sass(std::string_view text, const std::string& source);

}  // namespace warpnet::netgen
