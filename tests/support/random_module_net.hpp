#pragma once

#include "engine/base/random.hpp"
#include "engine/net/net_builder.hpp"
#include "tests/support/sample_nets.hpp"

#include <string>
#include <vector>

namespace warpnet::testing {

/// Four to eight modules of at most two kinds that meet in hubs: state machines with choices, supplies,
/// forks, delays and waits for one or two hubs, which start in any state. Further transitions touch only hubs
/// and test any place. If places with more than three consumers are hubs, most of these nets, not all, fit
/// the module executor. Equal seeds give equal nets.
class RandomModuleNet {
  public:
    explicit RandomModuleNet(std::uint64_t seed) : random_(seed, 0) {
        const std::uint32_t hubs = 1 + random_.below(3);
        for (std::uint32_t h = 0; h < hubs; ++h)
            hubs_.push_back(net_.add_place("hub" + std::to_string(h), random_.below(5)));
        const std::uint32_t kinds = 1 + random_.below(2);
        std::vector<CounterRandom> kind_seeds;
        for (std::uint32_t k = 0; k < kinds; ++k) kind_seeds.emplace_back(seed, k + 1);
        const std::uint32_t modules = 4 + random_.below(5);
        for (std::uint32_t c = 0; c < modules; ++c)
            add_module("c" + std::to_string(c) + "_", kind_seeds[random_.below(kinds)]);
        for (std::uint32_t loops = random_.below(3); loops > 0; --loops) add_loop(loops);
    }

    Net build() { return net_.build(); }

  private:
    bool chance(CounterRandom& random, std::uint32_t percent) { return random.below(100) < percent; }

    /// `shape` decides the structure of the module; its tokens are drawn for each module.
    void add_module(const std::string& prefix, CounterRandom shape) {
        const std::uint32_t states = 3 + shape.below(4);
        const std::uint32_t start = random_.below(states);
        std::vector<PlaceId> state;
        for (std::uint32_t s = 0; s < states; ++s)
            state.push_back(net_.add_place(prefix + "s" + std::to_string(s), s == start ? 1 : 0));
        const PlaceId supply = net_.add_place(prefix + "supply", random_.below(9));
        places_.insert(places_.end(), state.begin(), state.end());
        places_.push_back(supply);
        const auto any_state = [&] { return state[shape.below(states)]; };
        const auto any_hub = [&] { return hubs_[shape.below(static_cast<std::uint32_t>(hubs_.size()))]; };
        for (std::uint32_t s = 0; s < states; ++s) {
            const std::string id = prefix + "t" + std::to_string(s);
            const std::uint32_t sort = shape.below(100);
            if (sort < 45) {
                const TransitionId wait = net_.add_transition(id);
                net_.add_input(state[s], wait);
                net_.add_input(any_hub(), wait, chance(shape, 20) ? 2 : 1);
                if (chance(shape, 40)) net_.add_input(any_hub(), wait);
                net_.add_output(wait, any_state());
                if (chance(shape, 70)) net_.add_output(wait, any_hub());
                if (chance(shape, 20)) net_.add_input(supply, wait);
            } else if (sort < 60) {
                const Tokens length = 2 + shape.below(9);
                const PlaceId waiting = net_.add_place(id + "_wait"),
                              timer = net_.add_place(id + "_timer", length - 1);
                const TransitionId start_delay = net_.add_transition(id),
                                   tick = net_.add_transition(id + "_tick"),
                                   done = net_.add_transition(id + "_done");
                net_.add_input(state[s], start_delay);
                net_.add_output(start_delay, waiting);
                add_delay_arcs(net_, waiting, timer, tick, done, length);
                net_.add_output(done, any_state());
                if (chance(shape, 70)) net_.add_output(done, any_hub());
                places_.push_back(waiting);
            } else {
                for (std::uint32_t choices = 1 + shape.below(3); choices > 0; --choices) {
                    const TransitionId move = net_.add_transition(id + "_" + std::to_string(choices));
                    net_.add_input(state[s], move);
                    net_.add_output(move, any_state());
                    if (chance(shape, 50)) net_.add_input(supply, move, 1 + shape.below(2));
                    if (chance(shape, 15)) net_.add_inhibitor(supply, move, 1 + shape.below(3));
                    if (chance(shape, 40)) net_.add_output(move, any_hub());
                    if (chance(shape, 10)) {  // a parallel branch
                        const std::string aside = id + "_aside" + std::to_string(choices);
                        const PlaceId place = net_.add_place(aside);
                        const TransitionId end = net_.add_transition(aside + "_end");
                        net_.add_output(move, place, 2);
                        net_.add_input(place, end);
                        net_.add_output(end, any_hub());
                    }
                }
            }
        }
    }

    void add_loop(std::uint32_t number) {
        const TransitionId loop = net_.add_transition("loop" + std::to_string(number));
        const auto hub = [&] { return hubs_[random_.below(static_cast<std::uint32_t>(hubs_.size()))]; };
        if (chance(random_, 80)) {
            const PlaceId taken = hub();
            net_.add_input(taken, loop);
            net_.add_output(loop, taken);
        }
        if (chance(random_, 30)) net_.add_inhibitor(hub(), loop, 1 + random_.below(3));
        for (std::uint32_t tests = 1 + random_.below(3); tests > 0; --tests) {
            const PlaceId place = places_[random_.below(static_cast<std::uint32_t>(places_.size()))];
            if (chance(random_, 70)) {
                net_.add_inhibitor(place, loop, 1 + random_.below(3));
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
