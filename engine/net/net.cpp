// The net as an immutable value, and look-up of its nodes by id. Arcs are sorted by transition, so those of
// one transition are a range.

#include "engine/net/net.hpp"

namespace warpnet {

std::string_view to_string(ArcKind kind) {
    switch (kind) {
        case ArcKind::input:
            return "input";
        case ArcKind::output:
            return "output";
        case ArcKind::inhibitor:
            return "inhibitor";
        case ArcKind::read:
            break;
    }
    return "read";
}

std::span<const Arc> Net::arcs_of(TransitionId transition) const {
    const std::size_t first = first_arc_[index(transition)];
    return std::span(arcs_).subspan(first, first_arc_[index(transition) + 1] - first);
}

Marking Net::initial_marking() const {
    Marking marking;
    marking.reserve(places_.size());
    for (const Place& place : places_) marking.push_back(place.initial);
    return marking;
}

NodeIndex::NodeIndex(const Net& net) {
    places_.reserve(net.places().size());
    transitions_.reserve(net.transitions().size());
    for (const Place& place : net.places()) places_.emplace(place.id, PlaceId(places_.size()));
    for (const Transition& transition : net.transitions()) {
        transitions_.emplace(transition.id, TransitionId(transitions_.size()));
    }
}

std::optional<PlaceId> NodeIndex::place(std::string_view id) const {
    const auto found = places_.find(id);
    return found == places_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<TransitionId> NodeIndex::transition(std::string_view id) const {
    const auto found = transitions_.find(id);
    return found == transitions_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace warpnet
