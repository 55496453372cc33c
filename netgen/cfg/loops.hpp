#pragma once

#include "netgen/cfg/control_flow_graph.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace warpnet {

/// Which nodes of a graph lie in which loop. Loops are nested or disjoint and entered at their headers only.
struct LoopForest {
    std::vector<bool> is_header;
    /// Per node the header of the innermost loop around it; for a header, of the loop around its own.
    std::vector<std::optional<std::size_t>> around;
    std::vector<std::size_t> headers;  ///< inner loops before outer ones
};

/// Finds the loops of a graph all of whose nodes can be reached from the first (Havlak, TOPLAS 19, 1997, for
/// reducible graphs). Throws InputError naming the node that cannot be reached, or the edge that enters a
/// loop beside its header. Nearly linear.
LoopForest find_loops(const ControlFlowGraph& graph);

}  // namespace warpnet
