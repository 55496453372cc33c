// Cuts a net into parts without common places, by union-find over the arcs. Places that are never short
// connect nothing: their initial tokens suffice for all firings that can ever take from them. A transition
// fires only as often as an input place that nothing refills allows. Each part gets a copy of a place that is
// never short. Parts with equal arcs, tokens and priorities are one kind, so a thousand equal warps are
// answered once. O(arcs * kinds).

#include "analysis/worst/bounds/unconnected_parts.hpp"

#include "engine/base/disjoint_sets.hpp"
#include "engine/base/no_index.hpp"
#include "engine/net/net_builder.hpp"

#include <algorithm>
#include <utility>

namespace warpnet::worst {

namespace {

/// The nodes of a part, ascending.
struct Nodes {
    std::vector<std::uint32_t> places, transitions;
};

/// Per place: whether it is never short, such as a place from which each warp takes a token as it ends. Each
/// consumer must take from a place that nothing refills, which limits the number of its firings.
std::vector<std::uint8_t> never_short(const Net& net) {
    std::vector<std::uint8_t> refilled(net.places().size(), 0), result(net.places().size(), 1);
    for (const Arc& arc : net.arcs())
        if (arc.kind == ArcKind::output) refilled[index(arc.place)] = 1;
    std::vector<Tokens> firings(net.transitions().size(), max_tokens);  // at most
    for (const Arc& arc : net.arcs()) {
        Tokens& most = firings[index(arc.transition)];
        if (arc.kind == ArcKind::input && refilled[index(arc.place)] == 0)
            most = std::min(most, net[arc.place].initial / arc.weight);
    }
    std::vector<Tokens> left = net.initial_marking(), read(net.places().size(), 0);
    for (const Arc& arc : net.arcs()) {
        Tokens& tokens = left[index(arc.place)];
        const Tokens most = firings[index(arc.transition)];
        const bool takes = arc.kind == ArcKind::input;
        if (arc.kind == ArcKind::inhibitor || (takes && most > tokens / arc.weight)) {
            result[index(arc.place)] = 0;
        } else if (takes) {
            tokens -= most * arc.weight;
        } else if (arc.kind == ArcKind::read) {
            read[index(arc.place)] = std::max(read[index(arc.place)], arc.weight);
        }
    }
    for (std::size_t p = 0; p < result.size(); ++p)
        if (read[p] > left[p]) result[p] = 0;
    return result;
}

/// `ample`: per place, whether it connects nothing. Such a place is in each part that has an arc to it.
std::vector<Nodes> nodes_of_parts(const Net& net, const std::vector<std::uint8_t>& ample) {
    const auto transitions = static_cast<std::uint32_t>(net.transitions().size());
    const auto places = static_cast<std::uint32_t>(net.places().size());
    DisjointSets sets(std::size_t{transitions} + places);
    for (const Arc& arc : net.arcs()) {
        if (ample[index(arc.place)] != 0) continue;
        sets.join(static_cast<std::uint32_t>(index(arc.transition)),
                  transitions + static_cast<std::uint32_t>(index(arc.place)));
    }
    std::vector<Nodes> parts;
    std::vector<std::uint32_t> part_of(std::size_t{transitions} + places, no_index);  // of roots
    for (std::uint32_t t = 0; t < transitions; ++t) {
        std::uint32_t& part = part_of[sets.root(t)];
        if (part == no_index) {
            part = static_cast<std::uint32_t>(parts.size());
            parts.emplace_back();
        }
        parts[part].transitions.push_back(t);
    }
    for (std::uint32_t p = 0; p < places; ++p) {
        const std::uint32_t part = part_of[sets.root(transitions + p)];
        if (part != no_index) parts[part].places.push_back(p);
    }
    for (const Arc& arc : net.arcs()) {
        if (ample[index(arc.place)] == 0) continue;
        const std::uint32_t part = part_of[sets.root(static_cast<std::uint32_t>(index(arc.transition)))];
        parts[part].places.push_back(static_cast<std::uint32_t>(index(arc.place)));
    }
    for (Nodes& part : parts) {
        std::ranges::sort(part.places);
        part.places.erase(std::unique(part.places.begin(), part.places.end()), part.places.end());
    }
    return parts;
}

/// `local` is per place of the net, for the time of the call.
Net net_of(const Net& net, const Nodes& nodes, std::vector<PlaceId>& local) {
    NetBuilder builder(net.id(), net.name());
    for (const std::uint32_t p : nodes.places) {
        const Place& place = net.places()[p];
        local[p] = builder.add_place(place.id, place.initial, place.name);
    }
    for (const std::uint32_t t : nodes.transitions) {
        const Transition& transition = net.transitions()[t];
        const TransitionId added = builder.add_transition(transition.id, transition.name);
        builder.set_priority(added, transition.priority);
        for (const Arc& arc : net.arcs_of(TransitionId(t)))
            builder.add_arc(arc.kind, local[index(arc.place)], added, arc.weight);
    }
    return builder.build();
}

/// Whether two nets differ only in names.
bool is_like(const Net& a, const Net& b) {
    return std::ranges::equal(a.arcs(), b.arcs()) &&
           std::ranges::equal(a.places(), b.places(), {}, &Place::initial, &Place::initial) &&
           std::ranges::equal(a.transitions(), b.transitions(), {}, &Transition::priority,
                              &Transition::priority);
}

}  // namespace

std::optional<UnconnectedParts> unconnected_parts(const Net& net, std::size_t most_kinds) {
    if (std::ranges::any_of(net.transitions(), &Transition::immediate)) return {};
    std::vector<Nodes> nodes = nodes_of_parts(net, never_short(net));
    if (nodes.size() < 2) return {};
    UnconnectedParts result;
    std::vector<std::uint8_t> in_part(net.places().size(), 0);
    for (const Nodes& of_part : nodes)
        for (const std::uint32_t place : of_part.places)
            result.meet |= std::exchange(in_part[place], std::uint8_t{1}) != 0;
    std::vector<PlaceId> local(net.places().size());
    for (Nodes& of_part : nodes) {
        Net part = net_of(net, of_part, local);
        const auto kind = static_cast<std::size_t>(
            std::ranges::find_if(result.kinds, [&](const Net& known) { return is_like(known, part); }) -
            result.kinds.begin());
        if (kind == result.kinds.size()) {
            if (kind == most_kinds) return {};
            result.kinds.push_back(std::move(part));
        }
        result.parts.push_back({kind, std::move(of_part.transitions)});
    }
    return result;
}

Schedule joined_schedule(const UnconnectedParts& parts, std::span<const Schedule> of_kinds) {
    Schedule joined;
    for (const UnconnectedParts::Part& part : parts.parts) {
        const Schedule& schedule = of_kinds[part.kind];
        if (joined.size() < schedule.size()) joined.resize(schedule.size());
        for (std::size_t step = 0; step < schedule.size(); ++step)
            for (const std::uint32_t t : schedule[step].transitions)
                joined[step].transitions.push_back(part.transitions[t]);
    }
    for (ScheduledStep& step : joined) std::ranges::sort(step.transitions);
    return joined;
}

}  // namespace warpnet::worst
