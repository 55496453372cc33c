#pragma once

#include "engine/base/random.hpp"
#include "engine/net/net_builder.hpp"
#include "engine/run/run.hpp"
#include "tests/support/sample_nets.hpp"

#include <string>

namespace warpnet::testing {

struct RandomNetOptions {
    std::uint32_t places = 8;
    std::uint32_t transitions = 10;
    std::uint32_t gadgets = 2;  ///< delay gadgets; their wait places take part in the rest of the net
    bool immediates = true;
    bool priorities = true;
    bool sources = true;  ///< allow transitions without input arcs
};

/// Options of nets that can be explored completely, with at most one gadget, for all semantics.
inline RandomNetOptions small_net_options(Semantics semantics, std::uint32_t places = 5,
                                          std::uint32_t transitions = 6) {
    RandomNetOptions options;
    options.places = places;
    options.transitions = transitions;
    options.gadgets = 1;
    options.sources = semantics != Semantics::multiset;
    return options;
}

/// A net with every kind of arc, self-loops, weights up to 3, contended places and delay gadgets. Immediate
/// transitions only move tokens to later places, so that they come to an end. Equal seeds give equal nets.
inline Net random_net(std::uint64_t seed, const RandomNetOptions& options = {}) {
    CounterRandom random(seed, 0);
    const auto chance = [&](std::uint32_t percent) { return random.below(100) < percent; };
    NetBuilder builder;
    const std::uint32_t places = 2 + random.below(options.places);
    const std::uint32_t transitions = 1 + random.below(options.transitions);
    std::vector<PlaceId> plain, targets;
    for (std::uint32_t p = 0; p < places; ++p) {
        plain.push_back(builder.add_place("p" + std::to_string(p), chance(60) ? random.below(4) : 0));
    }
    targets = plain;
    for (std::uint32_t g = random.below(options.gadgets + 1); g > 0; --g) {
        const std::string id = "g" + std::to_string(g);
        const Tokens length = 2 + random.below(5);
        const Tokens waiting = chance(30) ? 1 + random.below(static_cast<std::uint32_t>(length)) : 0;
        const PlaceId wait = builder.add_place(id + "_wait", waiting);
        const PlaceId timer = builder.add_place(id + "_timer", waiting > 0 ? length - waiting : length - 1);
        const TransitionId tick = builder.add_transition(id + "_tick");
        const TransitionId done = builder.add_transition(id + "_done");
        add_delay_arcs(builder, wait, timer, tick, done, length);
        builder.add_output(done, plain[random.below(places)]);
        targets.push_back(wait);
        if (chance(10)) builder.add_read(wait, tick);       // no longer a gadget
        if (chance(10)) builder.add_output(done, wait, 1);  // no gadget either
    }
    for (std::uint32_t t = 0; t < transitions; ++t) {
        const TransitionId transition = builder.add_transition("t" + std::to_string(t));
        const bool immediate = options.immediates && chance(20);
        if (immediate) builder.set_immediate(transition);
        if (options.priorities && chance(25))
            builder.set_priority(transition, static_cast<std::int32_t>(random.below(3)) - 1);
        const auto weight = [&] { return Tokens{1} + (chance(25) ? random.below(3) : 0); };
        std::uint32_t highest_input = 0;
        const std::uint32_t inputs = options.sources && !immediate && chance(4) ? 0 : 1 + random.below(3);
        for (std::uint32_t i = 0; i < inputs; ++i) {
            const std::uint32_t p =
                chance(30) ? 0 : random.below(immediate ? places - 1 : places);  // p0 is contended
            builder.add_input(plain[p], transition, weight());
            highest_input = std::max(highest_input, p);
        }
        for (std::uint32_t i = random.below(3); i > 0; --i) {
            if (immediate) {
                builder.add_output(transition,
                                   plain[highest_input + 1 + random.below(places - 1 - highest_input)]);
                break;  // at most one token: the sum of positions grows within bounds
            }
            builder.add_output(transition, targets[random.below(static_cast<std::uint32_t>(targets.size()))],
                               weight());
        }
        if (chance(25)) builder.add_inhibitor(plain[random.below(places)], transition, weight());
        if (chance(15)) builder.add_read(plain[random.below(places)], transition, weight());
        if (chance(10)) {  // a self-loop
            const PlaceId p = plain[random.below(immediate ? places - 1 : places)];
            if (!immediate) {
                builder.add_input(p, transition);
                builder.add_output(transition, p);
            }
        }
    }
    return builder.build();
}

}  // namespace warpnet::testing
