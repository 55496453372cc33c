#pragma once

#include "engine/net/net_builder.hpp"

#include <string>
#include <vector>

namespace warpnet::testing {

/// Nets side by side: place p of net number i is called i_p. `shuffled`: their nodes take turns, so that no
/// net is a range of the union.
inline Net net_union(const std::vector<Net>& nets, bool shuffled) {
    NetBuilder builder;
    std::size_t longest = 0;
    for (const Net& net : nets) longest = std::max({longest, net.places().size(), net.transitions().size()});
    const auto each = [&](auto&& visit) {
        for (std::size_t outer = 0; outer < (shuffled ? longest : nets.size()); ++outer) {
            for (std::size_t inner = 0; inner < (shuffled ? nets.size() : longest); ++inner)
                visit(shuffled ? inner : outer, shuffled ? outer : inner);
        }
    };
    std::vector<std::vector<PlaceId>> places(nets.size());
    each([&](std::size_t i, std::size_t p) {
        if (p >= nets[i].places().size()) return;
        const Place& place = nets[i].places()[p];
        places[i].push_back(builder.add_place(std::to_string(i) + "_" + place.id, place.initial));
    });
    each([&](std::size_t i, std::size_t t) {
        if (t >= nets[i].transitions().size()) return;
        const Transition& transition = nets[i].transitions()[t];
        const TransitionId added = builder.add_transition(std::to_string(i) + "_" + transition.id);
        if (transition.immediate) builder.set_immediate(added);
        if (transition.priority != 0) builder.set_priority(added, transition.priority);
        for (const Arc& arc : nets[i].arcs_of(TransitionId(t))) {
            const PlaceId place = places[i][index(arc.place)];
            builder.add_arc(arc.kind, place, added, arc.weight);
        }
    });
    return builder.build();
}

}  // namespace warpnet::testing
