#include "analysis/states/structure/place_bounds.hpp"

#include "analysis/states/structure/invariants.hpp"

#include <algorithm>

// Bounds from cheap to expensive, each only if a wanted place has none yet: the initial tokens of places to
// which nothing adds, P-invariants, sums that never grow, and an exploration.

namespace warpnet {

namespace {

template <typename Condition>
std::vector<std::uint8_t> places_with_arcs(const Net& net, Condition condition) {
    std::vector<std::uint8_t> places(net.places().size(), 0);
    for (const Arc& arc : net.arcs()) {
        if (condition(arc)) places[index(arc.place)] = 1;
    }
    return places;
}

}  // namespace

PlaceBounds bounds_of_inhibitors(const Net& net, const ExploreOptions& options) {
    return bounds_of(
        net, places_with_arcs(net, [](const Arc& arc) { return arc.kind == ArcKind::inhibitor; }), options);
}

PlaceBounds bounds_of_weights(const Net& net, const ExploreOptions& options) {
    return bounds_of(net, places_with_arcs(net, [](const Arc& arc) { return arc.weight > 1; }), options);
}

PlaceBounds bounds_of(const Net& net, std::span<const std::uint8_t> wanted, const ExploreOptions& options) {
    PlaceBounds bounds;
    bounds.of.resize(net.places().size());
    const std::vector<SparseRow> effects = incidence_matrix(net);
    for (std::size_t p = 0; p < effects.size(); ++p) {
        const bool grows = std::any_of(effects[p].begin(), effects[p].end(),
                                       [](const SparseEntry& e) { return e.value > 0; });
        if (!grows) bounds.of[p] = net.places()[p].initial;
    }
    const auto any_missing = [&] {
        for (std::size_t p = 0; p < wanted.size(); ++p) {
            if (wanted[p] != 0 && !bounds.of[p]) return true;
        }
        return false;
    };
    const auto fill_in = [&](const auto& others) {
        for (std::size_t p = 0; p < wanted.size(); ++p) {
            if (!bounds.of[p]) bounds.of[p] = others[p];
        }
    };
    if (any_missing()) fill_in(invariant_bounds(net, p_invariants(net)));
    if (any_missing()) fill_in(invariant_bounds(net, p_subinvariants(net, {.max_rows = 2000})));
    if (!any_missing()) return bounds;
    ExploreOptions interleaving = options;
    interleaving.semantics = Semantics::interleaving;
    const Exploration explored = explore(compile(net), interleaving);
    if (!explored.complete()) return bounds;
    fill_in(explored.bounds);
    bounds.structural = false;
    return bounds;
}

}  // namespace warpnet
