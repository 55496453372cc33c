#pragma once

#include "engine/base/random.hpp"
#include "engine/net/net_builder.hpp"
#include "tests/support/sample_nets.hpp"

#include <string>
#include <vector>

namespace warpnet::testing {

/// Two to four parts of at most two kinds that meet in one or two hubs and never return to a state: chains of
/// waits for one or two hubs with demands up to 2, delays, and choices that use up supplies. Some parts keep
/// the tokens that they took, or give them to another hub. Parts of a kind may start at different states, and
/// hub loops test places of parts. Runs may end in a deadlock, or go on forever in a hub loop. Equal seeds
/// give equal nets.
class RandomPartsNet {
  public:
    explicit RandomPartsNet(std::uint64_t seed) : random_(seed, 0) {
        const std::uint32_t hubs = 1 + random_.below(2);
        for (std::uint32_t h = 0; h < hubs; ++h)
            hubs_.push_back(net_.add_place("hub" + std::to_string(h), 1 + random_.below(3)));
        const std::uint32_t kinds = 1 + random_.below(2);
        const std::uint32_t parts = 2 + random_.below(3);
        for (std::uint32_t part = 0; part < parts; ++part) {
            const std::uint32_t kind = random_.below(kinds);
            add_part("part" + std::to_string(part) + "_", CounterRandom(seed, kind + 1));
        }
        for (std::uint32_t loops = random_.below(2); loops > 0; --loops) add_loop(loops);
    }

    Net build() { return net_.build(); }

  private:
    static bool chance(CounterRandom& random, std::uint32_t percent) { return random.below(100) < percent; }

    /// `shape` decides the structure of the part, random_ its start and its supply.
    void add_part(const std::string& prefix, CounterRandom shape) {
        const std::uint32_t states = 4 + shape.below(3);
        const std::uint32_t start = chance(random_, 25) ? 1 : 0;
        std::vector<PlaceId> state;
        for (std::uint32_t s = 0; s < states; ++s)
            state.push_back(net_.add_place(prefix + "s" + std::to_string(s), s == start ? 1 : 0));
        const PlaceId supply = net_.add_place(prefix + "supply", random_.below(4));
        places_.insert(places_.end(), state.begin(), state.end());
        for (std::uint32_t s = 0; s + 1 < states; ++s) {
            const std::string id = prefix + "t" + std::to_string(s);
            const PlaceId next = state[s + 1 + (s + 2 < states && chance(shape, 20) ? 1 : 0)];
            const std::uint32_t sort = shape.below(100);
            if (sort < 60) {
                add_wait(id, state[s], next, shape);
            } else if (sort < 75) {
                add_delay(id, state[s], next, 1 + shape.below(4));
            } else {
                for (std::uint32_t choice = 0; choice < 2 + shape.below(2); ++choice) {
                    const TransitionId move = net_.add_transition(id + "_" + std::to_string(choice));
                    net_.add_input(state[s], move);
                    if (chance(shape, 40)) net_.add_input(supply, move);
                    if (choice > 0 && chance(shape, 40)) {  // a longer way to the same state
                        const PlaceId between = net_.add_place(id + "_between" + std::to_string(choice));
                        const TransitionId on = net_.add_transition(id + "_on" + std::to_string(choice));
                        net_.add_output(move, between);
                        net_.add_input(between, on);
                        net_.add_output(on, next);
                    } else {
                        net_.add_output(move, next);
                    }
                }
            }
        }
    }

    PlaceId hub(CounterRandom& random) {
        return hubs_[random.below(static_cast<std::uint32_t>(hubs_.size()))];
    }

    /// Takes tokens of a hub or two, works for a while, and mostly gives them back.
    void add_wait(const std::string& id, PlaceId from, PlaceId to, CounterRandom& shape) {
        const PlaceId working = net_.add_place(id + "_working"), first = hub(shape);
        const Tokens demand = chance(shape, 20) ? 2 : 1;
        const TransitionId begin = net_.add_transition(id + "_begin");
        net_.add_input(from, begin);
        net_.add_input(first, begin, demand);
        net_.add_output(begin, working);
        const bool both = hubs_.size() > 1 && chance(shape, 30);
        const PlaceId second = first == hubs_.front() ? hubs_.back() : hubs_.front();
        if (both) net_.add_input(second, begin);
        const TransitionId end = add_delay(id + "_work", working, to, 1 + shape.below(4));
        if (both) net_.add_output(chance(shape, 50) ? begin : end, second);
        const std::uint32_t fate = shape.below(100);
        if (fate < 80) {
            net_.add_output(end, first, demand);
        } else if (fate < 90) {
            net_.add_output(end, hub(shape));
        }
    }

    /// Returns the transition that ends the delay.
    TransitionId add_delay(const std::string& id, PlaceId from, PlaceId to, Tokens length) {
        if (length == 1) {
            const TransitionId move = net_.add_transition(id + "_move");
            net_.add_input(from, move);
            net_.add_output(move, to);
            return move;
        }
        const PlaceId wait = net_.add_place(id + "_wait"), timer = net_.add_place(id + "_timer", length - 1);
        const TransitionId start = net_.add_transition(id + "_start"),
                           tick = net_.add_transition(id + "_tick"), done = net_.add_transition(id + "_done");
        net_.add_input(from, start);
        net_.add_output(start, wait);
        add_delay_arcs(net_, wait, timer, tick, done, length);
        net_.add_output(done, to);
        places_.push_back(wait);
        return done;
    }

    void add_loop(std::uint32_t number) {
        const TransitionId loop = net_.add_transition("loop" + std::to_string(number));
        const PlaceId taken = hub(random_);
        net_.add_input(taken, loop);
        net_.add_output(loop, taken);
        if (chance(random_, 60)) {  // a last token that only a part takes stops the loop
            net_.add_inhibitor(places_.back(), loop);
        }
        for (std::uint32_t tests = 1 + random_.below(3); tests > 0; --tests) {
            const PlaceId place = places_[random_.below(static_cast<std::uint32_t>(places_.size()))];
            if (chance(random_, 50)) {
                net_.add_inhibitor(place, loop);
            } else {
                net_.add_read(place, loop);
            }
        }
    }

    CounterRandom random_;
    NetBuilder net_;
    std::vector<PlaceId> hubs_, places_;
};

}  // namespace warpnet::testing
