#pragma once

#include "engine/compile/compiled_net.hpp"

#include <cstdint>
#include <vector>

namespace warpnet::states {

/// The places of each level of a decision diagram, lowest level first.
using LevelOrder = std::vector<std::vector<std::uint32_t>>;

/// Orders worth trying, all different: the size of the diagram cannot be predicted. First, places that share
/// few tokens by an invariant are one level; then each place is. For each, the first order is that of the
/// file, in which the places of a part are mostly together. In three further orders, levels that share
/// transitions are near each other. They come from Sloan's algorithm on the graph of places and transitions
/// [Meijer16], from the file, and from the algorithm of Cuthill and McKee. FORCE [Aloul03] improves all
/// three. Each order has that end up with which transitions reach less high, weighted by their spans
/// [Siminiceanu06]. O(arcs) per round of FORCE, 100 rounds at most.
std::vector<LevelOrder> level_orders(const CompiledNet& net);

}  // namespace warpnet::states
