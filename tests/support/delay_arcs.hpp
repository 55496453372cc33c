#pragma once

#include "engine/net/net_builder.hpp"

namespace warpnet::testing {

/// The arcs of a delay of at least 2 steps. `wait` gets a token when it begins; `timer` has `steps` - 1.
inline void add_delay_arcs(NetBuilder& net, PlaceId wait, PlaceId timer, TransitionId tick, TransitionId done,
                           Tokens steps) {
    net.add_input(wait, tick);
    net.add_input(timer, tick);
    net.add_output(tick, wait, 2);
    net.add_input(wait, done, steps);
    net.add_output(done, timer, steps - 1);
}

}  // namespace warpnet::testing
