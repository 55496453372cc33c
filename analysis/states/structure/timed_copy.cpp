#include "analysis/states/structure/timed_copy.hpp"

#include <algorithm>

namespace warpnet {

TokenChange taken_by(const Net& net, TransitionId transition) {
    TokenChange taken;
    for (const Arc& arc : net.arcs_of(transition))
        if (arc.kind == ArcKind::input) taken[static_cast<std::uint32_t>(index(arc.place))] = arc.weight;
    return taken;
}

std::string first_difference(const Net& net, const Marking& a, const Marking& b) {
    const auto differ = std::mismatch(a.begin(), a.end(), b.begin());
    if (differ.first == a.end()) return {};
    const auto place = static_cast<std::size_t>(differ.first - a.begin());
    return ": " + std::to_string(*differ.first) + " or " + std::to_string(*differ.second) +
           " tokens in place '" + net.places()[place].id + "'";
}

TimedCopies::TimedCopies(const Net& net, const Marking& initial) : net_(net), builder_(net.id(), net.name()) {
    for (std::size_t p = 0; p < net.places().size(); ++p) {
        const Place& place = net.places()[p];
        const PlaceId id = builder_.add_place(place.id, initial[p], place.name);
        if (place.position) builder_.set_position(id, *place.position);
        ids_.insert(place.id);
    }
    for (const Transition& transition : net.transitions())
        if (!transition.immediate) ids_.insert(transition.id);
}

void TimedCopies::add(TransitionId transition, const TokenRanges& before, const TokenChange& change) {
    const Transition& old = net_[transition];
    const bool first = copied_.insert(static_cast<std::uint32_t>(index(transition))).second;
    std::string id = old.id;
    for (std::size_t number = 2; !first && !ids_.insert(id).second; ++number)
        id = old.id + "_" + std::to_string(number);
    const TransitionId copy = builder_.add_transition(id, old.name);
    if (first && old.position) builder_.set_position(copy, *old.position);
    builder_.set_priority(copy, old.priority);
    const TokenChange taken = taken_by(net_, transition);
    std::set<std::uint32_t> places;
    for (const auto& [place, range] : before) places.insert(place);
    for (const auto& [place, tokens] : change) places.insert(place);
    for (const std::uint32_t p : places) {
        const PlaceId place{p};
        const auto own = taken.find(p);
        const auto changed = change.find(p);
        const Tokens gain = changed == change.end() ? 0 : changed->second;
        const Tokens input = std::max(own == taken.end() ? 0 : own->second, -gain);
        if (input > 0) builder_.add_input(place, copy, input);
        if (input + gain > 0) builder_.add_output(copy, place, input + gain);
        const auto range = before.find(p);
        if (range == before.end()) continue;
        if (range->second.least > input) builder_.add_read(place, copy, range->second.least);
        if (range->second.most < max_tokens) builder_.add_inhibitor(place, copy, range->second.most + 1);
    }
}

}  // namespace warpnet
