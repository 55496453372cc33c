#pragma once

#include "analysis/kernel/schedule.hpp"
#include "analysis/kernel/state_space.hpp"

#include <span>

namespace warpnet {

/// The schedule that walks through these states, from the start to the end, one cycle between neighbours.
/// Index j of the sorted states is the same warp throughout (see MultisetSpace); the foremost warp is number
/// 0.
Schedule schedule_through(const MultisetSpace& space, std::span<const Rank> states);

}  // namespace warpnet
