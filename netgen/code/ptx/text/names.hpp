#pragma once

#include <string_view>
#include <vector>

namespace warpnet {

/// The dotted parts of an opcode that are no modifier in PTX ISA 9.0: of memory operations, or of all others.
/// Whether the instruction has that modifier is not checked.
std::vector<std::string_view> unknown_modifiers(std::string_view opcode);

/// Whether PTX ISA 9.0 has such a special register or predefined constant: "%tid", without ".x"; "WARP_SZ".
bool is_ptx_special_register(std::string_view name);

}  // namespace warpnet
