#pragma once

#include <cstdint>

namespace warpnet {

/// The index of a place, transition, part, ... that there is none of.
inline constexpr std::uint32_t no_index = 0xffffffff;

}  // namespace warpnet
