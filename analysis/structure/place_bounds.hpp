#pragma once

#include "analysis/explore/explore.hpp"
#include "engine/net.hpp"

#include <optional>
#include <vector>

namespace warpnet {

/// Per place the most tokens that it can hold, where that is known.
struct PlaceBounds {
    std::vector<std::optional<Tokens>> of;
    /// Whether they follow from the structure of the net and so hold under every semantics; else they are
    /// those of an exploration under interleaving.
    bool structural = true;
};

/// Bounds of the places that have inhibitor arcs: of those to which no transition adds the initial marking,
/// else from P-invariants (or sums that never grow), else from an exploration within the limits of `options`.
/// An exploration that is not complete gives none.
PlaceBounds bounds_of_inhibitors(const Net& net, const ExploreOptions& options);

}  // namespace warpnet
