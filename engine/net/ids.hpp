#pragma once

#include <cstddef>
#include <cstdint>

namespace warpnet {

/// Position of a place in Net::places().
enum class PlaceId : std::uint32_t {};

/// Position of a transition in Net::transitions().
enum class TransitionId : std::uint32_t {};

constexpr std::size_t index(PlaceId place) noexcept { return static_cast<std::size_t>(place); }
constexpr std::size_t index(TransitionId transition) noexcept { return static_cast<std::size_t>(transition); }

}  // namespace warpnet
