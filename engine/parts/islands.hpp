#pragma once

#include "engine/parts/net_part.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace warpnet {

/// A part of a net that no arc connects with the rest.
struct Island {
    NetPart part;
    std::shared_ptr<const CompiledNet> net;  ///< the same one for islands that are equal
};

/// A net that falls apart.
struct Islands {
    std::vector<Island> islands;  ///< all transitions stand in one of them
    std::size_t kinds = 0;        ///< different ones
};

/// The parts of a net that nothing connects, very small ones bundled; null where there are not two of them,
/// or where there are immediate transitions or priorities. O(n log n) in arcs, plus compile() once a kind.
std::shared_ptr<const Islands> find_islands(const CompiledNet& net, const CompileOptions& options);

}  // namespace warpnet
