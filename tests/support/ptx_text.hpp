#pragma once

#include <string>

namespace warpnet::testing {

/// A module with one kernel `k` that takes a number `n`.
inline std::string kernel_text(const std::string& body) {
    return ".version 9.0\n.target sm_80\n.entry k(.param .u32 n)\n{\n" + body + "ret;\n}\n";
}

}  // namespace warpnet::testing
