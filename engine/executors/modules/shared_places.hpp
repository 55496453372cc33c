#pragma once

#include "engine/compile/compiled_net.hpp"

#include <cstdint>
#include <vector>

namespace warpnet {

/// The hubs of the modules of a net (find_modules()) that get their tokens back, such as the schedulers and
/// units of an SM. Places without initial tokens are left out. Ascending; empty if the net does not consist
/// of modules. O(n log n) in arcs, plus the automaton of a module.
std::vector<std::uint32_t> shared_places(const CompiledNet& net);

}  // namespace warpnet
