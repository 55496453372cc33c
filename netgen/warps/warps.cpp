#include "netgen/warps/warps.hpp"

#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/delay/delay_gadget.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace warpnet {

namespace {

void require(Tokens value, Tokens least, const char* what) {
    if (value < least) {
        throw InputError(std::string(what) + " must be " + std::to_string(least) + " or more, got " +
                         std::to_string(value));
    }
}

void check(const WarpsSpec& spec) {
    if (spec.warps.empty()) throw InputError("a warps net needs at least one warp");
    if (spec.sms == 0) throw InputError("the number of SMs must be 1 or more, got 0");
    require(spec.blocks, 0, "the number of blocks");
    if (spec.published && (spec.sms > 1 || spec.blocks > 1)) {
        throw InputError("the warps net as published is that of one SM and one block");
    }
    require(spec.schedulers, 1, "the number of schedulers");
    require(spec.shared_latency, 1, "the shared-memory latency");
    require(spec.global_latency, 1, "the global-memory latency");
    for (const WarpCounts& counts : spec.warps) {
        require(counts.arith, 0, "the number of arithmetic instructions");
        require(counts.shared, 0, "the number of shared-memory instructions");
        require(counts.global, 0, "the number of global-memory instructions");
    }
}

Tokens blocks_of(const WarpsSpec& spec) {
    return spec.blocks == 0 ? static_cast<Tokens>(spec.sms) : spec.blocks;
}

/// The nodes by which an SM gets its next block, if blocks wait.
struct Refill {
    PlaceId ended;  // the warps of the block that have ended
    TransitionId dispatch;
};

/// The places shared by all warps of an SM.
struct Core {
    std::string prefix;  // of the ids of the SM
    PlaceId sm;
    PlaceId alive;  // repaired net only
    TransitionId idle;
    std::optional<Refill> refill;
};

/// Adds the places and transitions of one warp. The comments give the names of the paper.
class WarpBuilder {
  public:
    WarpBuilder(NetBuilder& net, const WarpsSpec& spec, const Core& core, std::size_t number)
        : net_(net), spec_(spec), core_(core), prefix_(core.prefix + "w" + std::to_string(number) + "_") {}

    void add(const WarpCounts& counts) {
        const PlaceId active = place_of_block("active", 1);                        // p1
        const PlaceId ready = place_of_block("ready", 1);                          // p2
        const PlaceId fetch = place_of_block("fetch", 1);                          // p3
        const PlaceId issueable = place("issueable");                              // p4
        const PlaceId arith_left = place_of_block("arith_left", counts.arith);     // p5
        const PlaceId arith_next = place("arith_next");                            // p6
        const PlaceId shared_left = place_of_block("shared_left", counts.shared);  // p7
        const PlaceId shared_next = place("shared_next");                          // p8
        const PlaceId global_left = place_of_block("global_left", counts.global);  // p9
        const PlaceId global_next = place("global_next");                          // p10
        const PlaceId executing = place("executing");                              // p11
        const PlaceId global_wait = place("global_wait");                          // p12
        const PlaceId global_timer = place("global_timer", spec_.global_latency);  // p13
        const PlaceId global_done = place("global_done");                          // p14
        const PlaceId shared_wait = place("shared_wait");                          // p15
        const PlaceId shared_done = place("shared_done");                          // p16
        const PlaceId arith_done = place("arith_done");                            // p17
        const PlaceId shared_timer = place("shared_timer", spec_.shared_latency);  // p18
        const PlaceId sm = core_.sm;

        transition("select_arith", {fetch, arith_left}, {arith_next, issueable});     // t2
        transition("select_shared", {fetch, shared_left}, {shared_next, issueable});  // t3
        transition("select_global", {fetch, global_left}, {global_next, issueable});  // t4
        transition("issue", {ready, issueable, sm}, {executing});                     // t1

        transition("arith_run", {executing, arith_next}, {arith_done});  // t7
        transition("arith_finish", {arith_done}, {ready, fetch, sm});    // t15

        transition("shared_run", {executing, shared_next}, {shared_wait});              // t6
        delay("shared", shared_wait, shared_timer, spec_.shared_latency, shared_done);  // t17, t12
        transition("shared_finish", {shared_done}, {ready, fetch, sm});                 // t14

        // The SM is free while the warp waits for global memory.
        transition("global_run", {executing, global_next}, {global_wait, sm});          // t5
        delay("global", global_wait, global_timer, spec_.global_latency, global_done);  // t8, t9
        transition("global_finish", {global_done}, {ready, fetch});                     // t11

        const TransitionId terminate = transition("terminate", {active, ready}, {});  // t16
        for (const PlaceId left : {arith_left, shared_left, global_left}) net_.add_inhibitor(left, terminate);
        if (!spec_.published) {
            net_.add_input(fetch, terminate);
            net_.add_input(core_.alive, terminate);
        }
        if (core_.refill) net_.add_output(terminate, core_.refill->ended);
        net_.add_inhibitor(ready, core_.idle);
    }

  private:
    PlaceId place(const char* name, Tokens initial = 0) { return net_.add_place(prefix_ + name, initial); }

    /// A place whose tokens each block brings. It is empty when the warp has ended.
    PlaceId place_of_block(const char* name, Tokens tokens) {
        const PlaceId added = place(name, tokens);
        if (core_.refill && tokens > 0) net_.add_output(core_.refill->dispatch, added, tokens);
        return added;
    }

    TransitionId transition(const std::string& name, std::initializer_list<PlaceId> takes,
                            std::initializer_list<PlaceId> gives) {
        const TransitionId added = net_.add_transition(prefix_ + name);
        for (const PlaceId place : takes) net_.add_input(place, added);
        for (const PlaceId place : gives) net_.add_output(added, place);
        return added;
    }

    /// <name>_tick and <name>_access: a token in `wait` reaches `done` after latency + 1 steps.
    void delay(const std::string& name, PlaceId wait, PlaceId timer, Tokens latency, PlaceId done) {
        const TransitionId tick = net_.add_transition(prefix_ + name + "_tick");
        const TransitionId access = net_.add_transition(prefix_ + name + "_access");
        connect_delay(net_, wait, latency + 1, access, timer, tick);
        net_.add_output(access, done);
    }

    NetBuilder& net_;
    const WarpsSpec& spec_;
    const Core& core_;
    std::string prefix_;
};

/// Adds an SM with the warps of its first block. `waiting`: the place of the waiting blocks, if blocks wait.
void add_sm(NetBuilder& net, const WarpsSpec& spec, const std::string& prefix,
            std::optional<PlaceId> waiting) {
    const auto warps = static_cast<Tokens>(spec.warps.size());
    Core core;
    core.prefix = prefix;
    core.sm = net.add_place(prefix + "sm", spec.schedulers);  // p0
    if (!spec.published) core.alive = net.add_place(prefix + "alive", warps);
    core.idle = net.add_transition(prefix + "idle");  // t0
    net.add_input(core.sm, core.idle);
    net.add_output(core.idle, core.sm);
    if (!spec.published) {
        net.add_input(core.alive, core.idle);
        net.add_output(core.idle, core.alive);
    }
    if (waiting) {
        core.refill = {net.add_place(prefix + "ended"), net.add_transition(prefix + "dispatch")};
        net.add_input(core.refill->ended, core.refill->dispatch, warps);
        net.add_input(*waiting, core.refill->dispatch);
        net.add_output(core.refill->dispatch, core.alive, warps);
    }
    for (std::size_t i = 0; i < spec.warps.size(); ++i)
        WarpBuilder(net, spec, core, i + 1).add(spec.warps[i]);
}

std::string name_of(const WarpsSpec& spec) {
    std::string name = spec.sms == 1 ? "warps on one SM" : "warps on " + std::to_string(spec.sms) + " SMs";
    if (spec.published) name += ", as published";
    if (spec.blocks != 0) name += ", grid of " + std::to_string(spec.blocks);
    return name;
}

/// a*b + c for nonnegative numbers.
Tokens multiply_add(Tokens a, Tokens b, Tokens c) {
    Tokens result = 0;
    if (__builtin_mul_overflow(a, b, &result) || __builtin_add_overflow(result, c, &result)) {
        throw InputError("the instruction counts and latencies give more than " + std::to_string(max_tokens) +
                         " steps");
    }
    return result;
}

}  // namespace

Net warps_net(const WarpsSpec& spec) {
    check(spec);
    const Tokens blocks = blocks_of(spec);
    const Tokens busy_sms = std::min(static_cast<Tokens>(spec.sms), blocks);
    NetBuilder net("warps", name_of(spec));
    std::optional<PlaceId> waiting;
    if (blocks > busy_sms) waiting = net.add_place("blocks", blocks - busy_sms);
    for (Tokens k = 1; k <= busy_sms; ++k) {
        add_sm(net, spec, spec.sms == 1 ? "" : "sm" + std::to_string(k) + "_", waiting);
    }
    return net.build();
}

Tokens lone_warp_steps(const WarpCounts& counts, Tokens shared_latency, Tokens global_latency) {
    const Tokens shared_and_arith =
        multiply_add(4, counts.arith, multiply_add(multiply_add(1, shared_latency, 5), counts.shared, 1));
    return multiply_add(multiply_add(1, global_latency, 5), counts.global, shared_and_arith);
}

WarpsSpec one_block(const WarpsSpec& spec) {
    WarpsSpec block = spec;
    block.sms = 1;
    block.blocks = 0;
    return block;
}

Tokens grid_steps(const WarpsSpec& spec, Tokens block) {
    const Tokens dispatches =
        (blocks_of(spec) - 1) / static_cast<Tokens>(spec.sms);  // of the SM with the most blocks
    return multiply_add(dispatches, multiply_add(1, block, 1), block);
}

StepBounds warps_step_bounds(const WarpsSpec& spec) {
    check(spec);
    Tokens longest = 0, all = 0, busy = 0;
    for (const WarpCounts& counts : spec.warps) {
        const Tokens alone = lone_warp_steps(counts, spec.shared_latency, spec.global_latency);
        longest = std::max(longest, alone);
        all = multiply_add(1, all, alone - 1);
        // The steps for which an instruction holds a scheduler token: 3, l_s + 4 and 2.
        busy = multiply_add(3, counts.arith,
                            multiply_add(multiply_add(1, spec.shared_latency, 4), counts.shared, busy));
        busy = multiply_add(2, counts.global, busy);
    }
    const Tokens shared_out = busy / spec.schedulers + (busy % spec.schedulers != 0 ? 1 : 0);
    const StepBounds block = {std::max(longest, shared_out), multiply_add(1, all, 1)};

    return {grid_steps(spec, block.lower), grid_steps(spec, block.upper)};
}

}  // namespace warpnet
