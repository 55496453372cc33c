// The net of an SM that executes a program. Each rate of the SM is a place of credits, which every step
// refills by a fixed amount below a cap. A warp is a chain of places, one before each operation. With several
// trips, the immediate transition `again` leads from the end of the chain back to its beginning. A place per
// slot for a resident block takes the next block as soon as all warps of the previous one have ended. O(warps
// * operations * slots for loads) nodes.

#include "netgen/sm/sm.hpp"

#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/delay/delay_gadget.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace warpnet::netgen {

namespace {

class SmNetBuilder {
  public:
    SmNetBuilder(const SmProgram& program, std::int64_t blocks, std::int64_t trips)
        : program_(program), trips_(trips), net_("sm") {
        alive_ = net_.add_place("alive", blocks);
        blocks_left_ = net_.add_place("blocks_left", blocks);
        if (program.launch_cost > 0) {
            launch_ = credit_place("launch", program.launch_refill, program.launch_cap, program.launch_cap);
        }
        add_credits();
    }

    Net build() {
        const auto per_block = static_cast<std::size_t>(program_.warps_per_block);
        for (std::size_t block = 0; block * per_block < program_.bodies.size(); ++block) add_block(block);
        return net_.build();
    }

  private:
    struct Warp {
        std::string prefix;
        std::size_t scheduler;
        PlaceId ready, start, ended;
        std::vector<PlaceId> pc;                          // before each operation, and after the last
        std::vector<PlaceId> at_barrier, behind_barrier;  // of each barrier
        std::vector<PlaceId> slots;                       // of loads in flight
        // A warp waits for one operation at a time, so operations with the same delay share a gadget. Loads
        // with the same delay share one per slot.
        std::map<std::int64_t, PlaceId> delays;
        std::vector<std::map<std::int64_t, PlaceId>> in_flight;
    };

    PlaceId credit_place(const std::string& id, std::int64_t refill, std::int64_t cap, std::int64_t initial) {
        const PlaceId place = net_.add_place(id, initial);
        const TransitionId transition = net_.add_transition("refill_" + id);
        net_.add_read(alive_, transition);
        net_.add_inhibitor(place, transition, cap);
        net_.add_output(transition, place, refill);
        return place;
    }

    /// An additional refill for the time in which only the blocks of the last wave are left.
    void add_last_refill(const std::string& id, PlaceId place, std::size_t credit) {
        const TransitionId transition = net_.add_transition("refill_more_" + id);
        net_.add_read(alive_, transition);
        net_.add_inhibitor(alive_, transition, program_.last_blocks + 1);
        net_.add_inhibitor(place, transition, program_.cap[credit]);
        net_.add_output(transition, place, program_.last_refill[credit]);
    }

    void add_credits();
    void add_block(std::size_t block);
    Warp add_warp(std::size_t number);
    /// The transition that issues operation i of a warp; the caller adds the arc to the next place.
    TransitionId add_op(Warp& warp, const std::string& id, std::size_t i, const SmOp& op);
    void add_load(Warp& warp, const std::string& id, std::size_t i, const SmOp& op);
    void add_barrier(Warp& warp, const std::string& id, std::size_t i, const SmOp& op);
    /// The start of a warp, its end, and the jump back of its trips.
    void add_ends(const Warp& warp);
    /// A delay of `steps` >= 1 steps between a token in the place returned and one in `out`.
    PlaceId add_delay(const std::string& id, std::int64_t steps, PlaceId out);

    const SmProgram& program_;
    std::int64_t trips_;
    NetBuilder net_;
    PlaceId alive_{}, blocks_left_{};
    std::optional<PlaceId> launch_;
    std::vector<std::vector<PlaceId>> credits_;  // per credit: of each scheduler, or one
};

void SmNetBuilder::add_credits() {
    credits_.resize(sm_credit_count);
    for (std::size_t c = 0; c < sm_credit_count; ++c) {
        bool used = false;
        for (const auto& body : program_.bodies) {
            for (const SmOp& op : body) used |= op.credits[c] > 0;
        }
        if (!used) continue;
        const auto credit = static_cast<SmCredit>(c);
        const std::int64_t places = per_scheduler(credit) ? program_.schedulers : 1;
        for (std::int64_t s = 0; s < places; ++s) {
            const std::string id = per_scheduler(credit) ? fmt::format("{}_{}", to_string(credit), s + 1)
                                                         : std::string(to_string(credit));
            credits_[c].push_back(credit_place(id, program_.refill[c], program_.cap[c], program_.refill[c]));
            if (program_.last_refill[c] > 0) add_last_refill(id, credits_[c].back(), c);
        }
    }
}

PlaceId SmNetBuilder::add_delay(const std::string& id, std::int64_t steps, PlaceId out) {
    const PlaceId wait = net_.add_place(id + "_wait");
    net_.add_output(
        warpnet::netgen::add_delay(net_, wait, steps, {id + "_done", id + "_timer", id + "_tick"}), out);
    return wait;
}

TransitionId SmNetBuilder::add_op(Warp& warp, const std::string& id, std::size_t i, const SmOp& op) {
    const TransitionId transition = net_.add_transition(id);
    net_.add_input(warp.pc[i], transition);
    net_.add_input(warp.ready, transition);
    for (std::size_t c = 0; c < sm_credit_count; ++c) {
        if (op.credits[c] == 0) continue;
        const auto& places = credits_[c];
        net_.add_input(places[places.size() > 1 ? warp.scheduler : 0], transition, op.credits[c]);
    }
    PlaceId after = warp.ready;
    if (op.delay != 1) {
        const auto [found, is_new] = warp.delays.try_emplace(op.delay);
        if (is_new)
            found->second =
                add_delay(fmt::format("{}delay_{}", warp.prefix, op.delay), op.delay - 1, warp.ready);
        after = found->second;
    }
    net_.add_output(transition, after);
    return transition;
}

void SmNetBuilder::add_load(Warp& warp, const std::string& id, std::size_t i, const SmOp& op) {
    for (std::size_t s = 0; s < warp.slots.size(); ++s) {
        const TransitionId transition = add_op(warp, fmt::format("{}_{}", id, s + 1), i, op);
        net_.add_output(transition, warp.pc[i + 1]);
        net_.add_input(warp.slots[s], transition);
        const auto [found, is_new] = warp.in_flight[s].try_emplace(op.slot);
        if (is_new)
            found->second = add_delay(fmt::format("{}load_{}_{}", warp.prefix, s + 1, op.slot),
                                      std::max<std::int64_t>(1, op.slot - 1), warp.slots[s]);
        net_.add_output(transition, found->second);
    }
}

void SmNetBuilder::add_barrier(Warp& warp, const std::string& id, std::size_t i, const SmOp& op) {
    const TransitionId transition = add_op(warp, id, i, op);
    warp.at_barrier.push_back(
        net_.add_place(fmt::format("{}at_barrier_{}", warp.prefix, warp.at_barrier.size() + 1)));
    net_.add_output(transition, warp.at_barrier.back());
    for (const PlaceId slot : warp.slots) net_.add_read(slot, transition);
    warp.behind_barrier.push_back(warp.pc[i + 1]);
}

void SmNetBuilder::add_ends(const Warp& warp) {
    const auto immediate = [&](const std::string& id) {
        const TransitionId transition = net_.add_transition(warp.prefix + id);
        net_.set_immediate(transition);
        return transition;
    };
    const TransitionId begin = immediate("begin");
    net_.add_input(warp.start, begin);
    net_.add_output(begin, warp.pc.front());
    net_.add_output(begin, warp.ready);
    const TransitionId end = immediate("end");
    net_.add_input(warp.pc.back(), end);
    net_.add_input(warp.ready, end);
    for (const PlaceId slot : warp.slots) net_.add_read(slot, end);
    net_.add_output(end, warp.ended);
    if (trips_ <= 1) return;
    const PlaceId left = net_.add_place(warp.prefix + "trips_left");
    net_.add_output(begin, left, trips_ - 1);
    const TransitionId again = immediate("again");
    net_.add_input(warp.pc.back(), again);
    net_.add_input(left, again);
    net_.add_output(again, warp.pc.front());
    net_.add_inhibitor(left, end);
}

SmNetBuilder::Warp SmNetBuilder::add_warp(std::size_t number) {
    const std::vector<SmOp>& body = program_.bodies[number];
    Warp warp;
    warp.prefix = fmt::format("w{}_", number + 1);
    warp.scheduler = number % static_cast<std::size_t>(program_.schedulers);
    warp.ready = net_.add_place(warp.prefix + "ready");
    warp.start = net_.add_place(warp.prefix + "start");
    warp.ended = net_.add_place(warp.prefix + "ended");
    for (std::size_t i = 0; i <= body.size(); ++i)
        warp.pc.push_back(net_.add_place(fmt::format("{}pc_{}", warp.prefix, i)));
    const bool loads = std::any_of(body.begin(), body.end(), [](const SmOp& op) { return op.slot > 0; });
    for (std::int64_t s = 0; loads && s < program_.load_slots; ++s)
        warp.slots.push_back(net_.add_place(fmt::format("{}load_{}", warp.prefix, s + 1), 1));
    warp.in_flight.resize(warp.slots.size());
    for (std::size_t i = 0; i < body.size(); ++i) {
        const SmOp& op = body[i];
        const std::string id = fmt::format("{}i{}_{}", warp.prefix, i + 1, to_string(op.kind));
        if (op.kind == SmOpKind::barrier) {
            add_barrier(warp, id, i, op);
        } else if (op.slot > 0) {
            add_load(warp, id, i, op);
        } else {
            net_.add_output(add_op(warp, id, i, op), warp.pc[i + 1]);
        }
    }
    add_ends(warp);
    return warp;
}

void SmNetBuilder::add_block(std::size_t block) {
    const std::string prefix = fmt::format("b{}_", block + 1);
    const PlaceId free = net_.add_place(prefix + "free", 1);
    const TransitionId start = net_.add_transition(prefix + "start");
    const TransitionId join = net_.add_transition(prefix + "join");
    net_.set_immediate(start);
    net_.set_immediate(join);
    net_.add_input(free, start);
    net_.add_input(blocks_left_, start);
    if (launch_) net_.add_input(*launch_, start, program_.launch_cost);
    net_.add_input(alive_, join);
    net_.add_output(join, free);
    std::vector<Warp> warps;
    for (std::size_t w = 0; w < static_cast<std::size_t>(program_.warps_per_block); ++w) {
        warps.push_back(add_warp(block * static_cast<std::size_t>(program_.warps_per_block) + w));
        net_.add_output(start, warps.back().start);
        net_.add_input(warps.back().ended, join);
    }
    for (std::size_t i = 0; i < warps.front().at_barrier.size(); ++i) {
        const TransitionId release = net_.add_transition(fmt::format("{}barrier_{}", prefix, i + 1));
        net_.set_immediate(release);
        for (const Warp& warp : warps) {
            net_.add_input(warp.at_barrier[i], release);
            net_.add_output(release, warp.behind_barrier[i]);
        }
    }
}

}  // namespace

Net sm_net(const SmProgram& program, std::int64_t blocks, std::int64_t trips) {
    if (blocks < 1 || trips < 1 || program.bodies.empty())
        throw InputError("the net of an SM needs at least one block, one warp and one trip");
    return SmNetBuilder(program, blocks, trips).build();
}

}  // namespace warpnet::netgen
