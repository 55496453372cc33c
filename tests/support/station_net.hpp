#pragma once

#include "engine/net/net_builder.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace warpnet::testing {

/// A net of one piece of any size: a ring of stations that serve jobs, quickly or with a delay, and pass them
/// on to the next station, to one farther on, or to themselves. 8 transitions and 6 places a station.
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
