#pragma once

#include "analysis/worst/bounds/module_graph.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace warpnet {

/// What an edge of a ModuleGraph counts for; at least 0.
using EdgeWeight = std::function<std::int64_t(std::size_t edge)>;

/// No walk of the modules of a class, from their start to anywhere, weighs more: a longest walk under the
/// tokens of their supplies. Nothing where walks can be arbitrarily heavy (a cycle that uses up no supply),
/// or where the linear program was given up. Tight where the supplies are used up one at a time; otherwise it
/// may be that of a fraction of a walk, rounded down.
///
/// `most_edges`: an upper bound on the number of edges of a walk, where one is known; absent where every
/// weight is at least 1. Linear in the graph where no supply is used; otherwise a linear program with a row
/// for each node.
std::optional<std::int64_t> heaviest_walk(const ModuleGraph& graph, const ModuleClass& modules,
                                          const EdgeWeight& weight,
                                          std::optional<std::int64_t> most_edges = {});

/// The same downwards: no walk that ends where nothing can fire any more weighs less. `ends` says where it
/// may end.
std::optional<std::int64_t> lightest_walk(const ModuleGraph& graph, const ModuleNet& parts,
                                          const ModuleClass& modules, const EdgeWeight& weight,
                                          std::int64_t most_edges);

}  // namespace warpnet
