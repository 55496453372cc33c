#pragma once

#include "netgen/code/ptx/text/module.hpp"

#include <string>
#include <string_view>

namespace warpnet::netgen {

/// Whether a text is a listing of machine code, as cuobjdump -sass and nvdisasm write it, rather than PTX.
bool is_sass(std::string_view text);

/// Reads such a listing for Volta, Turing, Ampere, Ada and Hopper (one instruction per line behind its
/// address). Each instruction counts as its counterpart in PTX (netgen/code/sass/README.md has the table), so
/// that blocks, loops and counts work as for PTX modules. Labels are those of nvdisasm (".L_x_2") or the
/// target addresses of branches ("0x80"). Operands are read only if they determine where the code continues
/// (control_flow.hpp), so that no trips are proved. Sets PtxModule::machine_code.
///
/// Code that a function calls inside its own listing becomes a function of the module, named by the target of
/// the call. Unknown opcodes are PtxClass::unknown. If the listing has a function for several architectures,
/// the first is read. Throws InputError (source:line: …) if there is no function, an instruction has no
/// opcode, a branch goes to a missing label, or connect_sass() throws. O(text).
PtxModule read_sass(std::string_view text, const std::string& source);

}  // namespace warpnet::netgen
