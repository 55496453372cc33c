#pragma once

#include "engine/base/work_limits.hpp"
#include "engine/executors/modules/net.hpp"
#include "engine/plan.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace warpnet::worst {

/// A node of the automaton of a module and the rest of its supplies.
struct LocalMember {
    std::uint32_t node;
    std::uint32_t supplies;  ///< row of LocalStates::supplies
    double probability;      ///< among the members of the state; 1 if no probabilities are kept
};

/// A state of a module as the hubs see it: all nodes in which it can be, given its effects visible from
/// outside. So a choice within a module (the next instruction) is made when it first becomes visible. Nothing
/// else can depend on it earlier, so the runs and their probabilities are the same.
struct LocalState {
    ModuleNode::Kind kind;
    std::uint32_t demand_class;  ///< of a waiting state
    std::uint32_t first_edge, edges;
    std::uint32_t first_member, members;
    std::uint32_t module;      ///< an example that can be in it
    std::uint32_t loops_held;  ///< hub loops, as bits, that cannot fire while a module is in it
};

/// A way from a state to the next one. It begins when the module is served, or without service.
struct LocalEdge {
    std::uint32_t target;  ///< state
    std::uint32_t tail;    ///< the whole way
    double probability;
};

/// The rest of a way: the steps to its end and their effects on hubs and hub loops. Tail 0: it has ended.
struct LocalTail {
    std::uint32_t gap;           ///< steps to the next one with an effect or the end; at least 1
    std::uint32_t next;          ///< the tail after that one
    std::uint32_t first_effect;  ///< of that step
    std::uint32_t effects;
    std::uint32_t steps;  ///< to the end of the way
};

struct CounterEffect {
    std::uint32_t counter;  ///< a hub (its tokens), or the number of hubs + a hub loop (its unmet conditions)
    std::int64_t delta;
    bool operator==(const CounterEffect&) const = default;
};

/// The states of all modules of a net whose parts meet only in hubs. States with equal futures are merged
/// unless a module can return to a state.
struct LocalStates {
    WorkEnd stop = WorkEnd::complete;
    std::string reason;  ///< of not_applicable
    std::vector<LocalState> states;
    std::vector<LocalEdge> edges;
    std::vector<LocalTail> tails;
    std::vector<CounterEffect> effects;
    std::vector<LocalMember> members;
    Rows<Tokens> supplies;
    std::vector<std::uint32_t> start;  ///< per module: a state
    std::vector<std::uint32_t> same;   ///< per state: the representative of all with its future
    /// States such that all targets of a state's edges come after it; empty if there is no such order.
    std::vector<std::uint32_t> order;

    bool acyclic() const noexcept { return !order.empty(); }
    std::span<const LocalEdge> edges_of(std::uint32_t state) const noexcept {
        return std::span(edges).subspan(states[state].first_edge, states[state].edges);
    }
    std::span<const LocalMember> members_of(std::uint32_t state) const noexcept {
        return std::span(members).subspan(states[state].first_member, states[state].members);
    }
    std::span<const CounterEffect> effects_of(std::uint32_t tail) const noexcept {
        return std::span(effects).subspan(tails[tail].first_effect, tails[tail].effects);
    }
    /// The tail after some steps; REQUIRES steps <= gap.
    std::uint32_t later(std::uint32_t tail, std::uint32_t steps) const noexcept {
        return steps < tails[tail].gap ? tail - steps : tails[tail].next;
    }
};

/// The way of a member with one of the orders of its competitors, up to the next node with a decision.
struct LocalWay {
    std::vector<std::uint32_t> segments;
    std::uint32_t node;
    std::vector<Tokens> supplies;
};
LocalWay follow_way(const ModuleNet& parts, std::uint32_t node, std::vector<Tokens> supplies,
                    std::uint32_t order);

/// The effects of a way, ascending by steps after its first one, those of a step by counter; and its length.
struct WayEffects {
    std::vector<std::pair<std::uint32_t, CounterEffect>> effects;
    std::uint32_t steps = 0;
    bool operator==(const WayEffects&) const = default;
};
WayEffects effects_of_way(const ModuleNet& parts, const LocalWay& way);

/// All states that modules can reach if the hubs serve every module. With `probabilities` those of choices
/// between equals are kept, each order of the competitors being equally likely. O(members x orders x log)
/// time; not_applicable if the net has no modules.
LocalStates local_states(const Plan& planned, bool probabilities, const WorkLimits& limits);

}  // namespace warpnet::worst
