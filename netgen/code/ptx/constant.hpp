#pragma once

#include "netgen/code/ptx/scanner.hpp"

#include <cstdint>
#include <string_view>

namespace warpnet {

/// Reads a constant expression (PTX ISA 9.0, section 4.6) of numbers of 64 bits, such as `(1<<3)+2`: as far
/// as it goes. `signs` were read before it: `-`, `!`, `~`. Throws InputError for what is no expression, a
/// division by zero and more than 1000 brackets and operators in one another. O(length).
std::int64_t read_ptx_constant(PtxScanner& scanner, std::string_view signs = {});

}  // namespace warpnet
