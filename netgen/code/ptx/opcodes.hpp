#pragma once

#include "netgen/code/ptx/counts.hpp"

#include <cstdint>
#include <string_view>

namespace warpnet {

/// The class of a whole opcode such as "ld.global.nc.v4.f32"; PtxClass::unknown where the table lacks its
/// first part (PTX ISA 9.0; netgen/code/ptx/README.md). O(length).
PtxClass ptx_class_of(std::string_view opcode);

/// The unit of an instruction in a kernel instruction string ([Berezovskyi13] section III-D): C, L, S or D;
/// '-' for what no such unit executes (branches, barriers, fences, hints); '?' for PtxClass::unknown.
char ptx_letter(PtxClass ptx_class);

/// Whether the opcode reads or writes memory through an address without a state space: `ld.f32`.
bool is_ptx_generic_access(std::string_view opcode, PtxClass ptx_class);

/// Bytes that one thread moves: element type times vector length; 0 where the opcode does not say.
std::int64_t ptx_access_bytes(std::string_view opcode);

/// Whether one of the dotted parts of the opcode is `part`.
bool has_ptx_part(std::string_view opcode, std::string_view part);

/// The first dotted part, and the last: "ld", "f32".
std::string_view ptx_base(std::string_view opcode);
std::string_view ptx_type(std::string_view opcode);

}  // namespace warpnet
