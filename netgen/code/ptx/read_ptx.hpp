#pragma once

#include "netgen/code/ptx/module.hpp"

#include <string>
#include <string_view>

namespace warpnet {

/// Whether cuobjdump writes such a line around the code of a file: "Fatbin ptx code:", "arch = sm_80".
bool is_fatbin_line(std::string_view line);

/// Reads the text that nvcc and clang write: PTX up to version 9.x. What instructions mean is not
/// checked, and an opcode may be one that is not known yet; how the text is built is.
///
/// `source` names the text in errors. Throws InputError with source:line:column where the text is no PTX, a
/// bracket, string or comment stays open, a branch goes to a label that is not there, or a function or label
/// is there twice. O(text).
PtxModule read_ptx(std::string_view text, const std::string& source);

}  // namespace warpnet
