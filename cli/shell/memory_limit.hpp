#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpnet::cli {

/// Three quarters of the memory of this machine, or of the control group that the process is in where that
/// has less. Bytes.
std::uint64_t default_memory_limit();

/// A limit as memory.max of a control group (version 2) says it: bytes; "max" and what is no number: none.
std::optional<std::uint64_t> parse_group_limit(std::string_view text);

/// Lets no allocation of this process go beyond so many bytes of data: it ends with std::bad_alloc, long
/// before the machine begins to swap. A lower limit that is set already stays.
void limit_memory(std::uint64_t bytes);

}  // namespace warpnet::cli
