#pragma once

#include "engine/compile/compiled_net.hpp"

#include <cstdint>
#include <vector>

namespace warpnet {

/// Places where the modules of a net meet (find_modules()) and which get back what is taken from them: the
/// schedulers of an SM, units. Those without initial tokens are left out. Ascending; empty where the net does
/// not fall into modules. O(n log n) in arcs, plus the automaton of a module.
std::vector<std::uint32_t> shared_places(const CompiledNet& net);

}  // namespace warpnet
