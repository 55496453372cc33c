#pragma once

#include "analysis/states/explore/step_graph.hpp"

#include <cstdint>
#include <vector>

namespace warpnet {

/// The strongly connected components of a graph.
struct Components {
    /// Per state. Numbered so that every edge leads to an equal or a smaller number.
    std::vector<std::uint32_t> of;
    std::uint32_t count = 0;
    /// Per component: whether no edge leaves it.
    std::vector<std::uint8_t> bottom;
};

/// Tarjan's algorithm [Tarjan72] with its own stack: O(states + edges) time, 12 to 28 bytes per state.
Components components(const StepGraph& graph);

/// What the components of the state graph imply.
struct Liveness {
    /// Per transition: it can be made to fire again from every reachable marking (Murata's L4). All other
    /// transitions fire at some point or, according to Exploration::fired, never.
    std::vector<std::uint8_t> live;
    /// Markings that can be reached from every reachable marking.
    std::uint64_t home_states = 0;
    bool reversible = false;  ///< the initial marking is one of them
    std::uint32_t components = 0;
    std::uint32_t bottom_components = 0;  ///< those that no step leaves
};

/// A transition is live exactly if it fires within every bottom component. Home states are those of the only
/// bottom component, if there is only one. Enumerates the steps of bottom components again.
Liveness liveness(const CompiledNet& net, Semantics semantics, const Exploration& explored,
                  const StepGraph& graph);

}  // namespace warpnet
