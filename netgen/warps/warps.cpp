// The net of [Gogolinska17]: a warp executes its arithmetic, shared and global instructions in any order,
// one at a time, on the schedulers of its SM. Latencies are delay gadgets. Flaws of the published net are
// repaired, unless WarpsSpec::published asks for them. With fixed schedulers a set of warps has its own
// nodes; with `any`, each warp has a copy per scheduler. Bounds are closed forms.

#include "netgen/warps/warps.hpp"

#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/delay/delay_gadget.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace warpnet::netgen {

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
    if (spec.active) {
        if (*spec.active < 1 || *spec.active > spec.warps.size())
            throw InputError(
                fmt::format("the active warps must be 1 to {}, got {}", spec.warps.size(), *spec.active));
        if (spec.sms > 1 || spec.blocks > 1 || spec.assignment == Assignment::any)
            throw InputError(
                "a net with active warps is that of one SM and one block, with schedulers "
                "that are shared or fixed");
    }
    require(spec.schedulers, 1, "the number of schedulers");
    require(spec.dispatch_units, 1, "the number of dispatch units");
    if (spec.assignment == Assignment::shared && spec.dispatch_units > 1)
        throw InputError("only schedulers with their own warps have dispatch units");
    if (spec.published && spec.assignment != Assignment::shared)
        throw InputError("the warps net as published has schedulers shared by all warps");
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

/// The source of the tokens with which a warp starts.
struct Start {
    bool at_once = true;                        // initially
    std::optional<TransitionId> given_by = {};  // by a firing
    std::optional<PlaceId> ended = {};          // gets a token when the warp ends
};

/// The nodes of a scheduler with its own warps, or of all schedulers if they are shared.
struct Core {
    PlaceId sm;
    PlaceId alive;  // repaired net only
    TransitionId idle;
};

/// The sets of warps of an SM that share schedulers: all warps, or those of each scheduler that has any.
std::size_t warp_sets(const WarpsSpec& spec) {
    if (spec.assignment == Assignment::shared) return 1;
    return std::min(static_cast<std::size_t>(spec.schedulers), spec.warps.size());
}

std::size_t active_warps(const WarpsSpec& spec) { return spec.active.value_or(spec.warps.size()); }

/// The number of active warps in a set.
Tokens warps_of_set(const WarpsSpec& spec, std::size_t set) {
    const std::size_t sets = warp_sets(spec);
    return static_cast<Tokens>((active_warps(spec) + sets - set - 1) / sets);
}

/// The instructions that the schedulers of a set issue at a time.
Tokens tokens_of_set(const WarpsSpec& spec) {
    return spec.assignment == Assignment::shared ? spec.schedulers : spec.dispatch_units;
}

PlaceId add_place_of_block(NetBuilder& net, const Start& start, const std::string& id, Tokens tokens) {
    const PlaceId added = net.add_place(id, start.at_once ? tokens : 0);
    if (start.given_by && tokens > 0) net.add_output(*start.given_by, added, tokens);
    return added;
}

/// Adds the places and transitions of one warp. The comments give the names of the paper.
class WarpBuilder {
  public:
    WarpBuilder(NetBuilder& net, const WarpsSpec& spec, const Core& core, const Start& start,
                std::string prefix)
        : net_(net), spec_(spec), core_(core), start_(start), prefix_(std::move(prefix)) {}

    void add(const WarpCounts& counts, bool is_active) {
        const Tokens starts = is_active || spec_.published ? 1 : 0;
        const PlaceId active = place_of_block("active", is_active ? 1 : 0);        // p1
        const PlaceId ready = place_of_block("ready", starts);                     // p2
        const PlaceId fetch = place_of_block("fetch", starts);                     // p3
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
        if (start_.ended) net_.add_output(terminate, *start_.ended);
        net_.add_inhibitor(ready, core_.idle);
    }

  private:
    PlaceId place(const char* name, Tokens initial = 0) { return net_.add_place(prefix_ + name, initial); }

    /// A place whose tokens each block brings. It is empty when the warp has ended.
    PlaceId place_of_block(const char* name, Tokens tokens) {
        return add_place_of_block(net_, start_, prefix_ + name, tokens);
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
    const Start& start_;
    std::string prefix_;
};

/// `suffix`: of the ids of the scheduler.
Core add_core(NetBuilder& net, const WarpsSpec& spec, std::size_t set, const std::string& prefix,
              const std::string& suffix) {
    Core core;
    core.sm = net.add_place(prefix + "sm" + suffix, tokens_of_set(spec));  // p0
    const Tokens warps = spec.assignment == Assignment::any ? 0 : warps_of_set(spec, set);
    if (!spec.published) core.alive = net.add_place(prefix + "alive" + suffix, warps);
    core.idle = net.add_transition(prefix + "idle" + suffix);  // t0
    net.add_input(core.sm, core.idle);
    net.add_output(core.idle, core.sm);
    if (!spec.published) {
        net.add_input(core.alive, core.idle);
        net.add_output(core.idle, core.alive);
    }
    return core;
}

/// Adds each warp once for each scheduler, and the transitions that choose one of these.
void add_warps_to_assign(NetBuilder& net, const WarpsSpec& spec, const std::string& prefix,
                         const std::vector<Core>& cores, const Start& start) {
    std::vector<PlaceId> slots;
    for (std::size_t set = 0; set < cores.size(); ++set)
        slots.push_back(add_place_of_block(net, start, prefix + "slots_" + std::to_string(set + 1),
                                           warps_of_set(spec, set)));
    for (std::size_t i = 0; i < spec.warps.size(); ++i) {
        const std::string warp = "w" + std::to_string(i + 1) + "_";
        const PlaceId unassigned = add_place_of_block(net, start, prefix + warp + "unassigned", 1);
        for (std::size_t set = 0; set < cores.size(); ++set) {
            const std::string scheduler = std::to_string(set + 1);
            const TransitionId assign =
                net.add_transition(fmt::format("{}{}assign_{}", prefix, warp, scheduler));
            net.set_immediate(assign);
            net.add_input(unassigned, assign);
            net.add_input(slots[set], assign);
            net.add_output(assign, cores[set].alive);
            WarpBuilder(net, spec, cores[set], {false, assign, start.ended},
                        fmt::format("{}s{}_{}", prefix, scheduler, warp))
                .add(spec.warps[i], true);
        }
    }
}

/// Adds an SM with the warps of its first block. `waiting`: the place of the waiting blocks, if blocks wait.
void add_sm(NetBuilder& net, const WarpsSpec& spec, const std::string& prefix,
            std::optional<PlaceId> waiting) {
    const bool fixed = spec.assignment != Assignment::shared;
    std::vector<Core> cores;
    for (std::size_t set = 0; set < warp_sets(spec); ++set)
        cores.push_back(add_core(net, spec, set, prefix, fixed ? "_" + std::to_string(set + 1) : ""));
    std::optional<Refill> refill;
    if (waiting) {
        refill = {net.add_place(prefix + "ended"), net.add_transition(prefix + "dispatch")};
        net.add_input(refill->ended, refill->dispatch, static_cast<Tokens>(spec.warps.size()));
        net.add_input(*waiting, refill->dispatch);
    }
    Start start;
    if (refill) start = {true, refill->dispatch, refill->ended};
    if (spec.assignment == Assignment::any) return add_warps_to_assign(net, spec, prefix, cores, start);
    for (std::size_t set = 0; refill && set < cores.size(); ++set)
        net.add_output(refill->dispatch, cores[set].alive, warps_of_set(spec, set));
    for (std::size_t i = 0; i < spec.warps.size(); ++i)
        WarpBuilder(net, spec, cores[i % cores.size()], start, prefix + "w" + std::to_string(i + 1) + "_")
            .add(spec.warps[i], i < active_warps(spec));
}

std::string name_of(const WarpsSpec& spec) {
    std::string name = spec.sms == 1 ? "warps on one SM" : "warps on " + std::to_string(spec.sms) + " SMs";
    if (spec.published) name += ", as published";
    if (spec.active) name += fmt::format(", {} of {} warps active", *spec.active, spec.warps.size());
    if (spec.assignment == Assignment::fixed) name += ", schedulers fixed to warps";
    if (spec.assignment == Assignment::any) name += ", schedulers fixed to warps in any assignment";
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

Tokens scheduler_steps(const WarpCounts& counts, Tokens shared_latency) {
    const Tokens shared = multiply_add(multiply_add(1, shared_latency, 4), counts.shared, 0);
    return multiply_add(3, counts.arith, multiply_add(2, counts.global, shared));
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
    StepBounds block;
    // For an unknown assignment only sums over all warps are known.
    const bool any = spec.assignment == Assignment::any;
    const std::size_t sets = any ? 1 : warp_sets(spec);
    const Tokens tokens = any ? multiply_add(spec.schedulers, spec.dispatch_units, 0) : tokens_of_set(spec);
    for (std::size_t set = 0; set < sets; ++set) {
        Tokens longest = 0, all = 0, busy = 0;
        for (std::size_t warp = set; warp < active_warps(spec); warp += sets) {
            const WarpCounts& counts = spec.warps[warp];
            const Tokens alone = lone_warp_steps(counts, spec.shared_latency, spec.global_latency);
            longest = std::max(longest, alone);
            all = multiply_add(1, all, alone - 1);
            busy = multiply_add(1, busy, scheduler_steps(counts, spec.shared_latency));
        }
        const Tokens shared_out = busy / tokens + (busy % tokens != 0 ? 1 : 0);
        block.lower = std::max({block.lower, longest, shared_out});
        block.upper = std::max(block.upper, multiply_add(1, all, 1));
    }
    return {grid_steps(spec, block.lower), grid_steps(spec, block.upper)};
}

}  // namespace warpnet::netgen
