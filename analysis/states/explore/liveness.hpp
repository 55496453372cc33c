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

/// Tarjan's algorithm [Tarjan72] with its own stack: O(states + edges) time, 12 to 28 bytes a
/// state. (Boost.Graph's strong_components keeps four maps of vertices and a stack of about 64 bytes a level,
/// and state graphs are as deep as they are large; it is the judge in the tests.)
Components components(const StepGraph& graph);

/// What the components of the state graph say.
struct Liveness {
    /// Per transition: from every reachable marking it can be made to fire again (Murata's L4). The others
    /// fire at some point or, if Exploration::fired says so, never.
    std::vector<std::uint8_t> live;
    /// Markings that can be reached from every reachable marking.
    std::uint64_t home_states = 0;
    bool reversible = false;  ///< the initial marking is one of them
    std::uint32_t components = 0;
    std::uint32_t bottom_components = 0;  ///< those that are never left again
};

/// A transition is live exactly if it fires within every bottom component; home states are those of the only
/// bottom component, if there is one. Enumerates the steps of bottom components again.
Liveness liveness(const CompiledNet& net, Semantics semantics, const Exploration& explored,
                  const StepGraph& graph);

}  // namespace warpnet
