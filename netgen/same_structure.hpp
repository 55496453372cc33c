#pragma once

#include "engine/net/net.hpp"

#include <algorithm>

namespace warpnet::netgen {

/// Whether two nets have the same nodes with the same ids, in the same order, and the same arcs. Names of the
/// nets, display names and positions may differ. O(places, transitions and arcs).
inline bool same_structure(const Net& a, const Net& b) {
    const auto same_place = [](const Place& x, const Place& y) {
        return x.id == y.id && x.initial == y.initial;
    };
    const auto same_transition = [](const Transition& x, const Transition& y) {
        return x.id == y.id && x.immediate == y.immediate && x.priority == y.priority;
    };
    return std::ranges::equal(a.places(), b.places(), same_place) &&
           std::ranges::equal(a.transitions(), b.transitions(), same_transition) &&
           std::ranges::equal(a.arcs(), b.arcs());
}

}  // namespace warpnet::netgen
