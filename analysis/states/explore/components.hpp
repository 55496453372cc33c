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

}  // namespace warpnet
