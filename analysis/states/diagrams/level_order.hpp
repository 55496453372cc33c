#pragma once

#include "engine/compile/compiled_net.hpp"

#include <cstdint>
#include <vector>

namespace warpnet {

/// The places of each level of a decision diagram, lowest level first.
using LevelOrder = std::vector<std::vector<std::uint32_t>>;

/// Orders worth trying, all different: which of them gives small diagrams cannot be told beforehand. That of
/// the file, in which parts of a system mostly stand together; and three in which places that share
/// transitions are near each other: by Sloan's algorithm on the graph of places and transitions [Meijer16],
/// by the order of the file and by that of Cuthill and McKee, all three improved by FORCE [Aloul03]. Each
/// stands the way up in which transitions reach less high, weighted by their spans [Siminiceanu06]. O(arcs) a
/// round of FORCE, 100 rounds at most.
std::vector<LevelOrder> level_orders(const CompiledNet& net);

}  // namespace warpnet
