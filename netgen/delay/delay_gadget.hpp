#pragma once

#include "engine/net/net_builder.hpp"

#include <string>

namespace warpnet {

/// The ids of a delay gadget's nodes, beside the place in which its tokens wait.
struct DelayIds {
    std::string done, timer, tick;
};

/// Adds a delay gadget ([Gogolinska17] section 4), in the shape that engines recognise and skip over: a token
/// that comes to `wait` leaves by the transition that is returned exactly `steps` steps later, if nothing
/// else takes from `wait`. The first node added is `done`; `timer` and `tick` are needed from 2 steps on.
/// Needs steps >= 1.
TransitionId add_delay(NetBuilder& net, PlaceId wait, Tokens steps, const DelayIds& ids);

/// The arcs of a delay of steps >= 2 between nodes that are there: `timer` must hold steps - 1 tokens.
void connect_delay(NetBuilder& net, PlaceId wait, Tokens steps, TransitionId done, PlaceId timer,
                   TransitionId tick);

}  // namespace warpnet
