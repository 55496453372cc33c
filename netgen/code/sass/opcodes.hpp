#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// The PTX opcode as which a machine instruction of Volta or later counts: "ld.global.v4.f32" for
/// "LDG.E.128.SYS". Empty if the opcode is unknown. The text has static storage.
std::string_view ptx_counterpart_of_sass(std::string_view opcode);

/// The dotted parts of a machine opcode that are unknown for all instructions of sm_30 to sm_121. Does not
/// check whether this one has them. Source: listings of nvdisasm; NVIDIA documents no modifiers.
std::vector<std::string_view> unknown_sass_modifiers(std::string_view opcode);

/// Bytes that a thread copies with an LDGSTS; 0 for all other opcodes.
std::int64_t sass_copy_bytes(std::string_view opcode);

}  // namespace warpnet::netgen
