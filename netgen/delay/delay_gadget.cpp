// The delay gadget of [Gogolinska17] section 4. A token in `wait` is doubled by each tick, which uses up a
// token of the timer. With n tokens `done` fires and returns n - 1 tokens to the timer, so one token takes n
// steps.

#include "netgen/delay/delay_gadget.hpp"

namespace warpnet::netgen {

TransitionId add_delay(NetBuilder& net, PlaceId wait, Tokens steps, const DelayIds& ids) {
    const TransitionId done = net.add_transition(ids.done);
    if (steps == 1) {
        net.add_input(wait, done);
        return done;
    }
    const PlaceId timer = net.add_place(ids.timer, steps - 1);
    connect_delay(net, wait, steps, done, timer, net.add_transition(ids.tick));
    return done;
}

void connect_delay(NetBuilder& net, PlaceId wait, Tokens steps, TransitionId done, PlaceId timer,
                   TransitionId tick) {
    net.add_input(wait, tick);
    net.add_input(timer, tick);
    net.add_output(tick, wait, 2);
    net.add_input(wait, done, steps);
    net.add_output(done, timer, steps - 1);
}

}  // namespace warpnet::netgen
