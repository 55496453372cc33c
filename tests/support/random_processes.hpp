#pragma once

#include "engine/base/random.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/sm/sm.hpp"
#include "tests/support/sample_nets.hpp"

#include <string>
#include <vector>

namespace warpnet::testing {

/// Nets of processes with program counters, built one transition per call.
class RandomProcesses {
  public:
    explicit RandomProcesses(std::uint64_t seed) : random_(seed, 44) {
        for (std::uint32_t i = 0; i < 2; ++i) {
            hubs_.push_back(net_.add_place("hub" + std::to_string(i), random_.below(4)));
            shared_.push_back(net_.add_place("shared" + std::to_string(i), random_.below(4)));
        }
        for (const PlaceId hub : hubs_) {
            if (!chance(70)) continue;
            const TransitionId refill = add_transition("refill");
            net_.add_inhibitor(hub, refill, 1 + random_.below(4));
            net_.add_output(refill, hub, 1 + random_.below(2));
            if (chance(30)) net_.add_inhibitor(shared_[0], refill, 2);
        }
        for (std::uint32_t i = random_.below(3); i > 0; --i) add_neighbour();
        for (std::uint32_t i = 1 + random_.below(4); i > 0; --i) add_process();
    }

    Net build() { return net_.build(); }

  private:
    bool chance(std::uint32_t percent) { return random_.below(100) < percent; }
    PlaceId any(const std::vector<PlaceId>& places) {
        return places[random_.below(static_cast<std::uint32_t>(places.size()))];
    }
    PlaceId add_place(const char* name, Tokens tokens = 0) {
        return net_.add_place(name + std::string("_") + std::to_string(++numbers_), tokens);
    }
    TransitionId add_transition(const char* name) {
        return net_.add_transition(name + std::string("_") + std::to_string(++numbers_));
    }

    /// Gives a token to `to` now or later.
    void give(TransitionId transition, PlaceId to) {
        if (chance(60)) {
            net_.add_output(transition, to);
            return;
        }
        const Tokens steps = 2 + random_.below(4);
        const PlaceId wait = add_place("wait"), timer = add_place("timer", steps - 1);
        const TransitionId tick = add_transition("tick"), done = add_transition("done");
        add_delay_arcs(net_, wait, timer, tick, done, steps);
        net_.add_output(done, to);
        net_.add_output(transition, wait);
    }

    /// Adds arcs to places that belong to no single process.
    void mix(TransitionId transition) {
        // One draw per expression, because the compiler chooses the order within an expression.
        const PlaceId hub = any(hubs_), tested_hub = any(hubs_);
        const PlaceId taken = any(shared_), given = any(shared_), read = any(shared_), bounded = any(shared_);
        if (chance(40)) net_.add_input(hub, transition, 1 + random_.below(2));
        if (chance(15)) net_.add_input(taken, transition);
        if (chance(20)) net_.add_output(transition, given);
        if (chance(20)) net_.add_read(read, transition, 1 + random_.below(2));
        if (chance(20)) net_.add_inhibitor(bounded, transition, 1 + random_.below(3));
        if (chance(10)) net_.add_inhibitor(tested_hub, transition, 1 + random_.below(3));
        if (chance(10)) net_.set_priority(transition, static_cast<std::int32_t>(random_.below(3)) - 1);
    }

    void add_neighbour() {
        const TransitionId transition = add_transition("neighbour");
        net_.add_input(shared_[1], transition);
        net_.add_output(transition, shared_[0]);
        mix(transition);
    }

    void add_process() {
        std::vector<PlaceId> stations, own;
        for (std::uint32_t i = 2 + random_.below(5); i > 0; --i)
            stations.push_back(add_place("station", stations.empty() && chance(80) ? 1 : 0));
        for (std::uint32_t i = random_.below(4); i > 0; --i)
            own.push_back(add_place("own", chance(80) ? 1 : 0));
        if (chance(50)) {
            const TransitionId start = add_transition("start");
            net_.add_input(add_place("waiting", chance(20) ? 1 : 0), start);
            net_.add_output(start, stations.front());
            if (chance(50)) net_.set_immediate(start);
        }
        for (std::size_t at = 0; at < stations.size(); ++at) {
            for (std::uint32_t i = 1 + random_.below(3); i > 0; --i) add_operation(stations, at, own);
        }
    }

    void add_operation(const std::vector<PlaceId>& stations, std::size_t at,
                       const std::vector<PlaceId>& own) {
        const TransitionId operation = add_transition("operation");
        net_.add_input(stations[at], operation);
        if (at + 1 < stations.size() && chance(15)) {
            net_.set_immediate(operation);
            net_.add_output(operation, stations[at + 1]);
        } else if (chance(95)) {
            give(operation, chance(70) ? stations[(at + 1) % stations.size()] : any(stations));
        }
        for (const PlaceId place : own) {
            if (chance(40)) {
                net_.add_input(place, operation);
                if (chance(90)) give(operation, place);
            } else if (chance(20)) {
                net_.add_read(place, operation);
            } else if (chance(20)) {
                net_.add_inhibitor(place, operation, 1 + (chance(10) ? 1 : 0));
            }
        }
        mix(operation);
    }

    CounterRandom random_;
    NetBuilder net_;
    std::vector<PlaceId> hubs_, shared_;
    std::uint32_t numbers_ = 0;
};

/// Processes with program counters. They may have their own places, test and take places of other processes,
/// and compete for hubs that are refilled. Equal seeds give equal nets.
inline Net random_processes(std::uint64_t seed) { return RandomProcesses(seed).build(); }

/// An SM with up to two blocks of up to three warps, each with its own program of up to five operations.
inline Net small_sm(std::uint64_t seed) {
    CounterRandom random(seed, 43);
    const auto number = [&](std::uint32_t most) { return Tokens{1} + random.below(most); };
    netgen::SmProgram program;
    program.warps_per_block = number(3);
    program.schedulers = number(2);
    program.load_slots = number(2);
    const auto warps = static_cast<std::size_t>(program.warps_per_block * number(2));
    const std::size_t barriers = random.below(2);
    for (std::size_t credit = 0; credit < netgen::sm_credit_count; ++credit) {
        program.refill[credit] = number(3);
        program.cap[credit] = 3 + number(3);
        if (random.below(4) == 0) program.last_refill[credit] = 1;
    }
    if (random.below(2) == 0)
        program.launch_refill = 1, program.launch_cost = number(3), program.launch_cap = 3;
    for (std::size_t w = 0; w < warps; ++w) {
        std::vector<netgen::SmOp>& body = program.bodies.emplace_back();
        for (std::uint32_t i = random.below(5); i > 0; --i) {
            netgen::SmOp op{random.below(3) == 0 ? netgen::SmOpKind::load : netgen::SmOpKind::alu, number(4)};
            if (op.kind == netgen::SmOpKind::load) op.slot = 1 + number(4);
            for (std::int64_t& credit : op.credits) credit = random.below(3) == 0 ? number(3) : 0;
            body.push_back(op);
        }
        for (std::size_t i = 0; i < barriers; ++i) body.push_back({netgen::SmOpKind::barrier, number(2)});
        if (body.empty()) body.push_back({netgen::SmOpKind::alu, 1});
    }
    return netgen::sm_net(program, number(4), number(3));
}

}  // namespace warpnet::testing
