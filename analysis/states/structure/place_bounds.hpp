#pragma once

#include "analysis/states/explore/explore.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace warpnet {

/// Per place its upper bound of tokens, if one is known.
struct PlaceBounds {
    std::vector<std::optional<Tokens>> of;
    /// Whether the bounds follow from the structure of the net and so hold under every semantics; otherwise
    /// they come from an exploration under interleaving.
    bool structural = true;
};

/// Bounds of the wanted places (1 per place, else 0) and of others that need no extra work. A place to which
/// no transition adds has its initial tokens; other bounds come from P-invariants (or sums that never grow),
/// else from an exploration within the limits of `options`. An incomplete exploration gives none.
PlaceBounds bounds_of(const Net& net, std::span<const std::uint8_t> wanted, const ExploreOptions& options);

/// Of the places that have inhibitor arcs.
PlaceBounds bounds_of_inhibitors(const Net& net, const ExploreOptions& options);
/// Of the places that have arcs of a weight above 1.
PlaceBounds bounds_of_weights(const Net& net, const ExploreOptions& options);

}  // namespace warpnet
