// The successors of a multiset state. Time is advanced to the next step in which a module is served or
// chooses, and the effects of all ways until then are added. Then all services are found, as numbers per
// group of equal waiting modules: a service is maximal, so a group that is left out must lack some hub. Hub
// loops compete like modules and change nothing, but they can take tokens in a step. A witness is rebuilt
// from the moves of codes: modules are assigned to moves forwards, and the choices within a module backwards
// from its last node.
//
// Cost: the number of services times the number of ways to divide served modules among their edges.

#include "analysis/worst/exact/multiset_steps.hpp"

#include "engine/compile/firing_rule.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace warpnet::worst {

bool HubService::is_enabled(const MultisetNet::Loop& loop, std::size_t number,
                            std::span<const Tokens> counters) const {
    return counters[net_.hubs + number] == 0 &&
           std::all_of(loop.takes.begin(), loop.takes.end(),
                       [&](PlaceWeight take) { return counters[take.place] >= take.weight; }) &&
           std::all_of(loop.hub_tests.begin(), loop.hub_tests.end(),
                       [&](const Watch& test) { return meets(counters[test.transition], test.threshold); });
}

bool HubService::loop_enabled(std::span<const Tokens> counters) const {
    for (std::size_t i = 0; i < net_.loops.size(); ++i)
        if (is_enabled(net_.loops[i], i, counters)) return true;
    return false;
}

bool HubService::fits(const Item& item) const {
    return std::all_of(item.demands.begin(), item.demands.end(),
                       [&](PlaceWeight demand) { return room_[demand.place] >= demand.weight; });
}

void HubService::take(const Item& item, Tokens times) {
    for (const auto [hub, weight] : item.demands) room_[hub] -= weight * times;
}

/// A group without a scarce demand is served; the remaining groups become items_.
void HubService::divide(std::span<const Tokens> counters) {
    room_.assign(counters.begin(), counters.begin() + static_cast<std::ptrdiff_t>(net_.hubs));
    wanted_.assign(net_.hubs, 0);
    items_.clear();
    loops_compete_ = false;
    for (std::uint32_t g = 0; g < groups_.size(); ++g)
        items_.push_back({net_.demand_classes[groups_[g].demand_class], groups_[g].count, g});
    for (std::size_t i = 0; i < net_.loops.size(); ++i) {
        if (is_enabled(net_.loops[i], i, counters))
            items_.push_back({net_.loops[i].takes, 1, static_cast<std::uint32_t>(groups_.size())});
    }
    for (const Item& item : items_)
        for (const auto [hub, weight] : item.demands) wanted_[hub] += Tokens{weight} * item.count;
    certain_.assign(groups_.size(), 0);
    std::erase_if(items_, [&](const Item& item) {
        const bool is_short = std::any_of(item.demands.begin(), item.demands.end(), [&](PlaceWeight demand) {
            return wanted_[demand.place] > counters[demand.place];
        });
        if (!is_short && item.group < groups_.size()) {
            certain_[item.group] = item.count;
            take(item, item.count);
        }
        return !is_short;
    });
    for (const Item& item : items_) loops_compete_ |= item.group == groups_.size();
}

bool HubService::is_certain(std::span<const Tokens> counters, std::span<const WaitingGroup> groups) {
    groups_ = groups;
    divide(counters);
    return items_.size() <= 1;
}

bool HubService::find(std::span<const Tokens> counters, std::span<const WaitingGroup> groups,
                      std::size_t most) {
    groups_ = groups;
    most_ = most;
    too_many_ = false;
    served_.clear();
    blocked_.clear();
    probability_.clear();
    divide(counters);
    chosen_.assign(items_.size(), 0);
    if (probabilities_ && !all_want_the_same()) {
        draw();
    } else {
        enumerate(0, 1);
        // Every service serves the same number of equal modules, so each of their sets is equally likely.
        double sum = 0;
        for (const double ways : probability_) sum += ways;
        for (double& ways : probability_) ways /= sum;
    }
    return !too_many_ && size() <= most_;
}

bool HubService::all_want_the_same() const {
    return std::all_of(items_.begin(), items_.end(), [&](const Item& item) {
        return std::equal(item.demands.begin(), item.demands.end(), items_.front().demands.begin(),
                          items_.front().demands.end());
    });
}

/// The chosen numbers form a service, unless it is known.
void HubService::emit(double probability) {
    const std::size_t first = served_.size();
    served_.insert(served_.end(), certain_.begin(), certain_.end());
    for (std::size_t i = 0; i < items_.size(); ++i)
        if (items_[i].group < groups_.size()) served_[first + items_[i].group] += chosen_[i];
    bool blocked = false;
    if (loops_compete_) {
        for (std::size_t i = 0; i < items_.size(); ++i)
            if (items_[i].group == groups_.size()) take(items_[i], -Tokens{chosen_[i]});
        for (std::size_t i = 0; i < items_.size(); ++i) {
            blocked |= items_[i].group < groups_.size() && chosen_[i] < items_[i].count && fits(items_[i]);
        }
        for (std::size_t i = 0; i < items_.size(); ++i)
            if (items_[i].group == groups_.size()) take(items_[i], chosen_[i]);
        for (std::size_t known = 0; known < blocked_.size(); ++known) {
            const auto row = served(known);
            if (!std::equal(row.begin(), row.end(), served_.begin() + static_cast<std::ptrdiff_t>(first)))
                continue;
            probability_[known] += probability;
            served_.resize(first);
            return;
        }
    }
    blocked_.push_back(blocked ? 1 : 0);
    probability_.push_back(probability);
}

/// Every number for each item, in turn; combinations that are not maximal are left out. `ways` is the number
/// of ways to choose the modules so far.
void HubService::enumerate(std::size_t i, double ways) {
    if (size() > most_) return;
    if (i == items_.size()) {
        for (std::size_t k = 0; k < items_.size(); ++k)
            if (chosen_[k] < items_[k].count && fits(items_[k])) return;
        emit(ways);
        return;
    }
    const Item item = items_[i];
    for (;;) {
        enumerate(i + 1, ways);
        if (chosen_[i] == item.count || !fits(item)) break;
        take(item, 1);
        ways *= static_cast<double>(item.count - chosen_[i]) / (chosen_[i] + 1);
        ++chosen_[i];
    }
    take(item, -Tokens{chosen_[i]});
    chosen_[i] = 0;
}

/// Modules are drawn one by one from those that fit: the order of the rest does not matter.
void HubService::draw() {
    std::map<std::vector<std::uint32_t>, double> front{{chosen_, 1.0}};
    const std::vector<Tokens> room = room_;
    while (!front.empty() && size() <= most_) {
        std::map<std::vector<std::uint32_t>, double> next;
        for (const auto& [chosen, probability] : front) {
            room_ = room;
            std::uint32_t open = 0;
            for (std::size_t i = 0; i < items_.size(); ++i) take(items_[i], chosen[i]);
            for (std::size_t i = 0; i < items_.size(); ++i)
                if (fits(items_[i])) open += items_[i].count - chosen[i];
            if (open == 0) {
                chosen_ = chosen;
                emit(probability);
                continue;
            }
            if (next.size() > most_) {
                too_many_ = true;
                return;
            }
            for (std::size_t i = 0; i < items_.size(); ++i) {
                if (chosen[i] == items_[i].count || !fits(items_[i])) continue;
                std::vector<std::uint32_t> then = chosen;
                ++then[i];
                next[then] += probability * (items_[i].count - chosen[i]) / open;
            }
        }
        front = std::move(next);
    }
}

/// Codes must ascend.
void MultisetSteps::make_plan(const MultisetState& state, Plan& plan) const {
    plan.away.clear();
    plan.waiting.clear();
    plan.choosing.clear();
    for (const LocalCode code : state.codes) {
        const MultisetNet::Position& position = net_.positions[net_.position_at(code)];
        if (net_.tail_at(code) != 0 || position.kind == ModuleNode::Kind::over) {
            plan.away.push_back(code);
            continue;
        }
        auto& groups = position.kind == ModuleNode::Kind::waiting ? plan.waiting : plan.choosing;
        if (groups.empty() || groups.back().code != code) groups.push_back({code, position.demand_class, 0});
        ++groups.back().count;
    }
}

void MultisetSteps::set_movers(const Plan& plan, const HubService& service, std::size_t number) {
    movers_.clear();
    const auto served = service.served(number);
    for (std::size_t g = 0; g < served.size(); ++g)
        if (served[g] > 0) movers_.push_back({net_.position_at(plan.waiting[g].code), served[g]});
    for (const WaitingGroup& group : plan.choosing)
        movers_.push_back({net_.position_at(group.code), group.count});
}

bool MultisetSteps::one_edge_each(const Plan& plan) const {
    const auto one_edge = [&](const WaitingGroup& group) {
        return net_.positions[net_.position_at(group.code)].edges == 1;
    };
    return std::all_of(plan.waiting.begin(), plan.waiting.end(), one_edge) &&
           std::all_of(plan.choosing.begin(), plan.choosing.end(), one_edge);
}

bool MultisetSteps::is_decided(const MultisetState& state) const {
    return std::any_of(state.codes.begin(), state.codes.end(), [&](LocalCode code) {
        if (net_.tail_at(code) != 0) return false;
        const MultisetNet::Position& position = net_.positions[net_.position_at(code)];
        return position.kind == ModuleNode::Kind::choosing ||
               (position.kind == ModuleNode::Kind::waiting &&
                net_.fits(position.demand_class, state.counters));
    });
}

/// The modules in a service depart along the edges in sent_; no step is made yet.
void MultisetSteps::send(const MultisetState& from, const Plan& plan, const HubService& service,
                         std::size_t number, Successor& to) const {
    const auto served = service.served(number);
    to.state.counters = from.counters;
    to.state.codes = plan.away;
    for (std::size_t g = 0; g < served.size(); ++g) {
        const WaitingGroup& group = plan.waiting[g];
        to.state.codes.insert(to.state.codes.end(), group.count - served[g], group.code);
        for (const auto [hub, weight] : net_.demand_classes[group.demand_class])
            to.state.counters[hub] -= Tokens{weight} * served[g];
    }
    for (const Sent& sent : sent_) {
        to.state.codes.insert(to.state.codes.end(), sent.count,
                              net_.edges[net_.positions[sent.position].first_edge + sent.edge].code);
    }
}

void MultisetSteps::note(std::uint64_t after, std::vector<LocalMove>* moves) const {
    if (moves == nullptr) return;
    for (const Sent& sent : sent_) moves->insert(moves->end(), sent.count, {after, sent.position, sent.edge});
}

/// From the beginning of a step, after all departures, to the next state with a decision.
void MultisetSteps::advance(Successor& to, bool blocked) const {
    for (;;) {
        std::uint32_t gap = 0xffffffff;
        for (const LocalCode code : to.state.codes) {
            const std::uint32_t tail = net_.tail_at(code);
            if (tail != 0) gap = std::min(gap, net_.tail_table[tail].gap);
        }
        if (gap == 0xffffffff) {
            to.ending = blocked                                           ? Ending::stalled
                        : forced_service_.loop_enabled(to.state.counters) ? Ending::endless
                                                                          : Ending::dead;
            if (blocked) ++to.steps;
            break;
        }
        if (blocked) gap = 1;  // the tokens of the loops return in the next step
        to.steps += gap;
        for (LocalCode& code : to.state.codes) {
            const std::uint32_t tail = net_.tail_at(code);
            if (tail == 0) continue;
            const LocalTail& row = net_.tail_table[tail];
            code = gap < row.gap ? code - gap : code - tail + row.next;
            if (gap < row.gap) continue;
            for (const CounterEffect& effect : net_.effects_of(tail))
                to.state.counters[effect.counter] += effect.delta;
        }
        to.ending = Ending::open;
        if (is_decided(to.state)) break;
        blocked = false;
    }
    std::sort(to.state.codes.begin(), to.state.codes.end());
}

/// Follows the run while it has only one continuation.
void MultisetSteps::settle(Successor& to, std::vector<LocalMove>* moves) {
    std::swap(sent_, forced_sent_);
    std::swap(movers_, forced_movers_);
    while (to.ending == Ending::open) {
        make_plan(to.state, forced_order_);
        if (!one_edge_each(forced_order_) ||
            !forced_service_.is_certain(to.state.counters, forced_order_.waiting))
            break;
        forced_service_.find(to.state.counters, forced_order_.waiting);
        set_movers(forced_order_, forced_service_, 0);
        if (movers_.empty()) break;
        sent_.clear();
        for (const Mover& mover : movers_) sent_.push_back({mover.position, 0, mover.count});
        note(to.steps, moves);
        const MultisetState from = to.state;
        send(from, forced_order_, forced_service_, 0, to);
        advance(to, forced_service_.blocked(0));
    }
    std::swap(sent_, forced_sent_);
    std::swap(movers_, forced_movers_);
}

MultisetSteps::Successor MultisetSteps::first(std::vector<LocalMove>* moves) {
    Successor result;
    result.state = {net_.start, net_.start_counters};
    std::sort(result.state.codes.begin(), result.state.codes.end());
    if (!is_decided(result.state)) {
        result.ending = forced_service_.loop_enabled(result.state.counters) ? Ending::endless : Ending::dead;
    }
    settle(result, moves);
    return result;
}

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

/// Assigns modules to moves. Any module at the beginning of a move can make it.
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

/// The segments of a module's legs; the choices within it are made backwards from its end.
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

/// Adds hub loops to a step so that it is maximal.
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
    const ModuleNet& parts = *planned.modules();
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

}  // namespace warpnet::worst
