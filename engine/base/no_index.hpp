#pragma once

#include <cstdint>

namespace warpnet {

/// The value of an index (of a place, transition, part, …) that refers to nothing.
inline constexpr std::uint32_t no_index = 0xffffffff;

}  // namespace warpnet
