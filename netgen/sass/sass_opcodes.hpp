#pragma once

#include <string_view>

namespace warpnet {

/// The PTX opcode as which a machine instruction of Volta or later counts: "ld.global.v4.f32" for
/// "LDG.E.128.SYS". Empty where the opcode is not known here. The text lives for ever.
std::string_view ptx_counterpart_of_sass(std::string_view opcode);

}  // namespace warpnet
