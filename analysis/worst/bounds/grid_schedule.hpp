#pragma once

#include "analysis/worst/bounds/step_bound.hpp"
#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"
#include "netgen/warps/warps.hpp"

#include <cstdint>

namespace warpnet::worst {

/// The schedule of a grid (WarpsSpec with several SMs or blocks that wait) in which every block follows
/// `block`, a schedule of one_block(): all SMs in parallel, dispatched together. It takes grid_steps() of its
/// length. Memory: grid_firings() numbers.
Schedule grid_schedule(const netgen::WarpsSpec& spec, const Net& grid, const Net& one_block,
                       const Schedule& block);

/// The firings of grid_schedule(), without making it.
std::uint64_t grid_firings(const netgen::WarpsSpec& spec, const Schedule& block);

/// A bound on every run of a grid from one on every run of its block: grid_steps() of it, with that argument.
StepBound grid_bound(const netgen::WarpsSpec& spec, const StepBound& of_block);

}  // namespace warpnet::worst
