#pragma once

#include "engine/net/net_builder.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace warpnet::testing {

/// The arcs of a delay of at least 2 steps. `wait` gets a token when the delay begins; `timer` has `steps` -
/// 1.
inline void add_delay_arcs(NetBuilder& net, PlaceId wait, PlaceId timer, TransitionId tick, TransitionId done,
                           Tokens steps) {
    net.add_input(wait, tick);
    net.add_input(timer, tick);
    net.add_output(tick, wait, 2);
    net.add_input(wait, done, steps);
    net.add_output(done, timer, steps - 1);
}

/// The union of nets: place p of net number i is called i_p. `shuffled`: the nodes of the nets alternate, so
/// that no net is a range of the union.
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

/// A connected net of any size: a ring of stations that serve jobs, quickly or with a delay. A station passes
/// jobs to the next station, to a farther one, or to itself. 8 transitions and 6 places per station.
inline Net station_net(std::uint32_t stations) {
    NetBuilder net("stations");
    std::vector<PlaceId> queues;
    for (std::uint32_t i = 0; i < stations; ++i)
        queues.push_back(net.add_place("queue" + std::to_string(i), 2));
    for (std::uint32_t i = 0; i < stations; ++i) {
        const std::string number = std::to_string(i);
        const PlaceId queue = queues[i], server = net.add_place("server" + number, 1),
                      busy = net.add_place("busy" + number), served = net.add_place("served" + number),
                      wait = net.add_place("wait" + number), timer = net.add_place("timer" + number, 3);
        const auto add = [&](const char* name, std::initializer_list<PlaceId> takes,
                             std::initializer_list<PlaceId> gives) {
            const TransitionId transition = net.add_transition(name + number);
            for (const PlaceId place : takes) net.add_input(place, transition);
            for (const PlaceId place : gives) net.add_output(transition, place);
            return transition;
        };
        add("quick", {queue, server}, {busy});
        add("slow", {queue, server}, {wait});
        add("work", {busy}, {served});
        net.add_output(add("tick", {wait, timer}, {}), wait, 2);
        const TransitionId done = add("done", {}, {served});
        net.add_input(wait, done, 4);
        net.add_output(done, timer, 3);
        add("pass", {served}, {queues[(i + 1) % stations], server});
        add("jump", {served}, {queues[(i + 7) % stations], server});
        add("keep", {served}, {queue, server});
    }
    return net.build();
}

}  // namespace warpnet::testing
