#pragma once

#include "netgen/cfg/cfg.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace warpnet::netgen {

/// The known behaviour of the lanes of a wavefront at a branch.
enum class CfgLanes : std::uint8_t {
    unknown,    ///< they may part
    uniform,    ///< all go the same way
    divergent,  ///< they part
    others,     ///< they part, and those that continue are the ones that the branch before it left out
};
/// "", "uniform", "divergent", "else".
std::string_view to_string(CfgLanes lanes);

/// Reconstructs two-sided branches. Compilers for GPUs write `if (c) A; else B;` as `if (c) A;` followed by a
/// second branch `if (!c) B;`. If two adjacent siblings are one-sided branches, the first gets the side of
/// the second as its other side, and the second becomes a block that both paths run. The blocks, their times
/// and the time without splits stay the same. O(blocks).
StructuredCfg with_else_sides(const StructuredCfg& cfg);

/// The effect of lanes on the structure of a graph. A branch CfgLanes::others is the else of the branch
/// before it, as in with_else_sides(). A uniform branch never runs both sides. If no branch in its sides may
/// part, the longer side becomes its continuation and the other side is dropped. This is exact for the WCET
/// of every set of splits. All other uniform branches count as if their lanes parted, which is never too
/// short. `lanes`: by block; unknown for further blocks. O(blocks).
StructuredCfg with_lanes(const StructuredCfg& cfg, std::span<const CfgLanes> lanes);

}  // namespace warpnet::netgen
