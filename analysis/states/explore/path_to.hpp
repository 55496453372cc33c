#pragma once

#include "analysis/states/explore/step_graph.hpp"
#include "analysis/states/symmetry/net_symmetry.hpp"
#include "engine/run/replay.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpnet::ranks {
class Collectives;
}  // namespace warpnet::ranks

namespace warpnet::states {

/// The steps by which a marking was first reached, which are as few as possible. Under a symmetry they lead
/// to an equivalent marking. If the space is divided among ranks, all ranks call this, at one message per
/// step; only rank 0 receives the steps.
Schedule path_to(const CompiledNet& net, Semantics semantics, const StateSpace& space, StateId state,
                 const NetSymmetry* symmetry = nullptr, ranks::Collectives* ranks = nullptr);

/// StateSpace::find() and marking() on all ranks among which a space is divided.
std::optional<StateId> find_state(const StateSpace& space, const Marking& marking, ranks::Collectives* ranks);
Marking marking_of(const StateSpace& space, StateId state, ranks::Collectives* ranks);

/// The steps that lead from each of these markings to the next.
Schedule path_through(const CompiledNet& net, Semantics semantics, const StateSpace& space,
                      const StepGraph& graph, const std::vector<std::uint32_t>& states);

/// Steps through markings that are equivalent to given ones, under a symmetry. A part that repeats is
/// followed until a marking recurs. Nothing if that takes too long.
struct LiftedPath {
    Schedule schedule = {};
    std::optional<std::size_t> repeats_from = {};  ///< the last marking is the one after so many steps
};
std::optional<LiftedPath> lifted_path(const CompiledNet& net, Semantics semantics, const StateSpace& space,
                                      const StepGraph& graph, const std::vector<std::uint32_t>& states,
                                      std::optional<std::uint32_t> repeats_from, const NetSymmetry& symmetry);

}  // namespace warpnet::states
