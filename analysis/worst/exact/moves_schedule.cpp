#include "analysis/worst/exact/moves_schedule.hpp"

#include "engine/compile/firing_rule.hpp"

#include <algorithm>
#include <stdexcept>

namespace warpnet {

namespace {

/// An edge of a module's states, and the step before its first one.
struct Leg {
    std::uint64_t after;
    std::uint32_t from;  // state
    LocalEdge edge;
};

WayEffects effects_of_tail(const LocalStates& states, std::uint32_t tail) {
    WayEffects result;
    for (; tail != 0; tail = states.tails[tail].next) {
        result.steps += states.tails[tail].gap;
        for (const CounterEffect& effect : states.effects_of(tail))
            result.effects.push_back({result.steps - 1, effect});
    }
    return result;
}

/// Which module makes which move: any that is where the move begins.
std::vector<std::vector<Leg>> divide_moves(const LocalStates& states, const MultisetNet& net,
                                           std::span<const LocalMove> moves) {
    std::vector<std::vector<Leg>> legs(states.start.size());
    std::vector<std::uint32_t> at = states.start;
    std::vector<std::uint64_t> ready(at.size(), 0);
    for (const LocalMove& move : moves) {
        std::size_t c = 0;
        while (c < at.size() && (ready[c] > move.after || net.position_of[at[c]] != move.position)) ++c;
        if (c == at.size()) throw std::logic_error("a move without a module");
        const LocalCode code = net.edges[net.positions[move.position].first_edge + move.edge].code;
        const auto edges = states.edges_of(at[c]);
        const auto edge = std::find_if(edges.begin(), edges.end(), [&](const LocalEdge& known) {
            return net.position_of[known.target] * net.tails + known.tail == code;
        });
        if (edge == edges.end()) throw std::logic_error("equal states without equal edges");
        legs[c].push_back({move.after, at[c], *edge});
        at[c] = edge->target;
        ready[c] = move.after + states.tails[edge->tail].steps;
    }
    return legs;
}

/// The segments of a module's legs, the choices within it made backwards from where it ends.
std::vector<std::vector<std::uint32_t>> segments_of(const ModuleNet& parts, const LocalStates& states,
                                                    const std::vector<Leg>& legs) {
    std::vector<std::vector<std::uint32_t>> result(legs.size());
    if (legs.empty()) return result;
    LocalMember end = states.members_of(legs.back().edge.target).front();
    for (std::size_t i = legs.size(); i-- > 0;) {
        const WayEffects expected = effects_of_tail(states, legs[i].edge.tail);
        const auto end_supplies = states.supplies[end.supplies];
        bool found = false;
        for (const LocalMember& member : states.members_of(legs[i].from)) {
            const auto row = states.supplies[member.supplies];
            for (std::uint32_t order = 0; order < parts.automaton.nodes[member.node].orders && !found;
                 ++order) {
                LocalWay way = follow_way(parts, member.node, {row.begin(), row.end()}, order);
                if (way.node != end.node ||
                    !std::equal(way.supplies.begin(), way.supplies.end(), end_supplies.begin(),
                                end_supplies.end()) ||
                    effects_of_way(parts, way) != expected)
                    continue;
                result[i] = std::move(way.segments);
                end = member;
                found = true;
            }
            if (found) break;
        }
        if (!found) throw std::logic_error("a state without a member on the way");
    }
    return result;
}

/// Adds hub loops to a step such that it is maximal.
void add_loops(const CompiledNet& net, const ModuleNet& parts, const Marking& marking, ScheduledStep& step) {
    Marking room = marking;
    for (const std::uint32_t t : step.transitions) take(net, room, t);
    std::vector<std::uint32_t> loops, others;
    for (const HubLoop& loop : parts.loops)
        if (enabled(net, marking, loop.transition)) loops.push_back(loop.transition);
    for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
        if (enabled(net, marking, t) && parts.owner[t] < parts.size() &&
            std::find(step.transitions.begin(), step.transitions.end(), t) == step.transitions.end())
            others.push_back(t);
    }
    for (std::uint32_t set = 0; set < std::uint32_t{1} << loops.size(); ++set) {
        Marking left = room;
        bool possible = true;
        for (std::size_t i = 0; i < loops.size(); ++i) {
            if ((set >> i & 1) == 0) continue;
            possible = possible && fits(net, left, loops[i]);
            if (possible) take(net, left, loops[i]);
        }
        for (std::size_t i = 0; i < loops.size(); ++i)
            possible = possible && ((set >> i & 1) != 0 || !fits(net, left, loops[i]));
        for (const std::uint32_t t : others) possible = possible && !fits(net, left, t);
        if (!possible) continue;
        for (std::size_t i = 0; i < loops.size(); ++i)
            if ((set >> i & 1) != 0) step.transitions.push_back(loops[i]);
        std::sort(step.transitions.begin(), step.transitions.end());
        return;
    }
    throw std::logic_error("a step that no set of hub loops makes maximal");
}

}  // namespace

Schedule schedule_of_moves(const Plan& planned, const LocalStates& states, const MultisetNet& net,
                           std::span<const LocalMove> moves, std::uint64_t steps) {
    const CompiledNet& compiled = planned.net();
    const ModuleNet& parts = *planned.modules;
    const ModuleAutomaton& automaton = parts.automaton;
    Schedule schedule(steps);
    const std::vector<std::vector<Leg>> legs = divide_moves(states, net, moves);
    for (std::size_t c = 0; c < legs.size(); ++c) {
        const auto segments = segments_of(parts, states, legs[c]);
        for (std::size_t i = 0; i < legs[c].size(); ++i) {
            std::uint64_t step = legs[c][i].after;
            for (const std::uint32_t number : segments[i]) {
                const Segment& segment = automaton.segments[number];
                for (std::uint32_t p = 0; p < segment.parts; ++p) {
                    const PathPart& part = automaton.parts[segment.first_part + p];
                    for (std::uint32_t repeat = 0; repeat < part.repeats; ++repeat, ++step) {
                        for (std::uint32_t f = 0; f < part.fired; ++f) {
                            schedule.at(step).transitions.push_back(
                                parts.transitions[c][automaton.fired[part.first_fired + f]]);
                        }
                    }
                }
            }
        }
    }
    Marking marking = compiled.initial;
    for (ScheduledStep& step : schedule) {
        std::sort(step.transitions.begin(), step.transitions.end());
        add_loops(compiled, parts, marking, step);
        for (const std::uint32_t t : step.transitions) take(compiled, marking, t);
        for (const std::uint32_t t : step.transitions) give(compiled, marking, t);
    }
    return schedule;
}

}  // namespace warpnet
