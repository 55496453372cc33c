#pragma once

#include "engine/net/net_builder.hpp"

#include <string>

namespace warpnet::netgen {

/// The ids of the nodes of a delay gadget, without the place in which its tokens wait.
struct DelayIds {
    std::string done, timer, tick;
};

/// Adds a delay gadget ([Gogolinska17] section 4) with the structure that executors recognise and skip. A
/// token that arrives in `wait` leaves by the returned transition exactly `steps` steps later, if no other
/// transition takes from `wait`. The first node added is `done`; `timer` and `tick` are used if steps >= 2.
/// REQUIRES: steps >= 1.
TransitionId add_delay(NetBuilder& net, PlaceId wait, Tokens steps, const DelayIds& ids);

/// Adds the arcs of a delay with steps >= 2 between existing nodes. REQUIRES: `timer` holds steps - 1 tokens.
void connect_delay(NetBuilder& net, PlaceId wait, Tokens steps, TransitionId done, PlaceId timer,
                   TransitionId tick);

}  // namespace warpnet::netgen
