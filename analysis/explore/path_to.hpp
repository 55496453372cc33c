#pragma once

#include "analysis/explore/step_graph.hpp"
#include "engine/run/replay.hpp"

#include <cstdint>
#include <vector>

namespace warpnet {

/// The steps by which a marking was first reached: as few as possible.
Schedule path_to(const CompiledNet& net, Semantics semantics, const StateSpace& space, StateId state);

/// The steps that lead from each of these markings to the next.
Schedule path_through(const CompiledNet& net, Semantics semantics, const StateSpace& space,
                      const StepGraph& graph, const std::vector<std::uint32_t>& states);

}  // namespace warpnet
