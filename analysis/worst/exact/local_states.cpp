// The states of a module as its surroundings see them. Four ideas keep them few. *Delays are skipped*: a
// state exists only at a decision, and the steps between are part of an edge. *Equal modules are
// interchangeable* (multiset_net.hpp). *A choice is made when it becomes visible*: the instruction that a
// warp has fetched shows when it is issued, not before. So ways that look the same from outside (as many
// steps, the same tokens returned at the same offsets, then waiting for the same demand) lead to one local
// state: the set of nodes in which the module can be. A run of these sets is a run of the net. Backwards from
// the node in which the module ended, a predecessor that leads there is chosen in each step; nothing else can
// have depended on the choice. *Equal futures are one state*: local states with equal ways to equal states
// are merged.
//
// Three warps with 2, 1 and 1 instructions (latencies 2 and 20, 2 schedulers) have 64,721 reachable markings
// and 678 such states; with 3, 2 and 1 (latencies 2 and 4) 845,412 and 17,558. If choices were made at once,
// as in the markings, the states would multiply by the choices that are not yet visible.

#include "analysis/worst/exact/local_states.hpp"

#include "engine/base/no_index.hpp"
#include "engine/base/random.hpp"
#include "engine/executors/modules/net.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

namespace warpnet::worst {

namespace {

/// Ways are joined while nothing is decided between them, but only up to a limit.
constexpr std::size_t most_joined = 64;
constexpr std::uint64_t units_a_member = 20;   // of effort
constexpr std::uint64_t bytes_a_member = 200;  // about, including the maps that find it

struct WordsHash {
    std::size_t operator()(const std::vector<std::uint64_t>& words) const noexcept {
        std::uint64_t hash = words.size();
        for (const std::uint64_t word : words) hash = hash_bits(hash, word);
        return static_cast<std::size_t>(hash);
    }
};

using Numbers = std::unordered_map<std::vector<std::uint64_t>, std::uint32_t, WordsHash>;

/// Numbers tails such that one step less is one number less. An event is a step in which something changes; a
/// tail is an event and the distance to it.
class Tails {
  public:
    struct Tail {
        std::uint32_t event = no_index;  // none: tail 0
        std::uint32_t gap = 0;
    };

    Tail add(const WayEffects& way) {
        Tail after;
        std::size_t end = way.effects.size();
        std::uint32_t at = way.steps;  // offset of the event + 1
        while (at > 0) {
            std::size_t begin = end;
            while (begin > 0 && way.effects[begin - 1].first + 1 == at) --begin;
            const std::uint32_t before = begin > 0 ? way.effects[begin - 1].first + 1 : 0;
            after = {event(way, begin, end, after), at - before};
            events_[after.event].most_gap = std::max(events_[after.event].most_gap, after.gap);
            end = begin;
            at = before;
        }
        return after;
    }

    void write(LocalStates& result) {
        std::uint32_t next = 1;
        for (Event& event : events_) {
            event.first = next;
            next += event.most_gap;
        }
        result.tails.assign(1, LocalTail{});
        for (const Event& event : events_) {
            const auto first = static_cast<std::uint32_t>(result.effects.size());
            const std::uint32_t after = number(event.after);
            const std::uint32_t steps_after = after == 0 ? 0 : result.tails[after].steps;
            for (const CounterEffect& effect : event.effects) result.effects.push_back(effect);
            for (std::uint32_t gap = 1; gap <= event.most_gap; ++gap) {
                result.tails.push_back(
                    {gap, after, first, static_cast<std::uint32_t>(event.effects.size()), gap + steps_after});
            }
        }
    }
    std::uint32_t number(Tail tail) const {
        return tail.event == no_index ? 0 : events_[tail.event].first + tail.gap - 1;
    }

  private:
    struct Event {
        std::vector<CounterEffect> effects;
        Tail after;
        std::uint32_t most_gap = 0;
        std::uint32_t first = 0;
    };

    std::uint32_t event(const WayEffects& way, std::size_t begin, std::size_t end, Tail after) {
        std::vector<std::uint64_t> key{after.event, after.gap};
        std::vector<CounterEffect> effects;
        for (std::size_t i = begin; i < end; ++i) {
            effects.push_back(way.effects[i].second);
            key.push_back(effects.back().counter);
            key.push_back(static_cast<std::uint64_t>(effects.back().delta));
        }
        const auto [at, added] =
            known_.try_emplace(std::move(key), static_cast<std::uint32_t>(events_.size()));
        if (added) events_.push_back({std::move(effects), after});
        return at->second;
    }

    std::vector<Event> events_;  // an event after its successors
    Numbers known_;
};

class LocalStatesBuilder {
  public:
    LocalStatesBuilder(const Plan& planned, bool probabilities, const WorkLimits& limits)
        : net_(planned.net()), modules_(*planned.modules()), probabilities_(probabilities), limits_(limits) {}

    LocalStates build() {
        std::vector<std::uint32_t> start;
        for (std::uint32_t c = 0; c < modules_.size(); ++c) {
            const auto supplies = modules_.start_supplies_of(c).first(modules_.supplies[c].size());
            std::map<std::uint32_t, double> only{
                {member(modules_.start[c], {supplies.begin(), supplies.end()}), 1.0}};
            start.push_back(state(only, c));
        }
        for (std::uint32_t s = 0; s < result_.states.size(); ++s) {
            add_edges(s);
            if (s % 1024 == 0) result_.stop = limits_.asked_to_end();
            if (bytes_a_member * (members_.size() + result_.members.size()) > limits_.memory / 2)
                result_.stop = WorkEnd::memory_limit;
            if (limits_.effort > 0 && units_a_member * result_.members.size() > limits_.effort)
                result_.stop = WorkEnd::effort_limit;
            if (result_.stop != WorkEnd::complete) return std::move(result_);
        }
        tails_.write(result_);
        for (std::size_t i = 0; i < result_.edges.size(); ++i)
            result_.edges[i].tail = tails_.number(edge_tails_[i]);
        find_order();
        merge();
        for (const std::uint32_t s : start) result_.start.push_back(s);
        return std::move(result_);
    }

  private:
    std::uint32_t member(std::uint32_t node, const std::vector<Tokens>& supplies) {
        std::vector<std::uint64_t> key{node};
        for (const Tokens tokens : supplies) key.push_back(static_cast<std::uint64_t>(tokens));
        const auto [at, added] =
            numbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(members_.size()));
        if (added) {
            members_.push_back({node, static_cast<std::uint32_t>(result_.supplies.size()), 1});
            for (const Tokens tokens : supplies) result_.supplies.append(tokens);
            result_.supplies.close_row();
        }
        return at->second;
    }

    /// The state of some members and their weights.
    std::uint32_t state(const std::map<std::uint32_t, double>& members, std::uint32_t module) {
        double sum = 0;
        for (const auto& [number, weight] : members) sum += weight;
        std::vector<std::uint64_t> key;
        for (const auto& [number, weight] : members) {
            key.push_back(number);
            if (probabilities_) key.push_back(std::bit_cast<std::uint64_t>(weight / sum));
        }
        const auto [at, added] =
            states_.try_emplace(std::move(key), static_cast<std::uint32_t>(result_.states.size()));
        if (!added) return at->second;
        const ModuleNode& node = modules_.automaton.nodes[members_[members.begin()->first].node];
        LocalState state{node.kind,
                         node.kind == ModuleNode::Kind::waiting ? node.demand_class : 0,
                         0,
                         0,
                         static_cast<std::uint32_t>(result_.members.size()),
                         static_cast<std::uint32_t>(members.size()),
                         module,
                         0};
        state.loops_held = loops_held(members_[members.begin()->first].node, module);
        for (const auto& [number, weight] : members) {
            result_.members.push_back(members_[number]);
            result_.members.back().probability = probabilities_ ? weight / sum : 1;
        }
        result_.states.push_back(state);
        return at->second;
    }

    std::uint32_t loops_held(std::uint32_t node, std::uint32_t module) const {
        std::uint32_t held = 0;
        for (std::size_t i = 0; i < modules_.loops.size(); ++i)
            if (stops_loop(net_, modules_, module, node, modules_.loops[i])) held |= std::uint32_t{1} << i;
        return held;
    }

    /// Ways that look the same from outside become one edge to a state with all their ends.
    void add_edges(std::uint32_t s) {
        using Look = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
        std::map<Look, std::map<std::uint32_t, double>> looks;
        const LocalState from = result_.states[s];
        for (std::uint32_t i = 0; i < from.members; ++i) {
            const LocalMember member_from = result_.members[from.first_member + i];
            const ModuleNode& node = modules_.automaton.nodes[member_from.node];
            if (node.kind == ModuleNode::Kind::over) continue;
            const auto row = result_.supplies[member_from.supplies];
            const std::vector<Tokens> supplies(row.begin(), row.end());
            for (std::uint32_t order = 0; order < node.orders; ++order) {
                const LocalWay way = follow_way(modules_, member_from.node, supplies, order);
                const Tails::Tail tail = tails_.add(effects_of_way(modules_, way));
                const ModuleNode& end = modules_.automaton.nodes[way.node];
                const Look look{tail.event, tail.gap, static_cast<std::uint32_t>(end.kind),
                                end.kind == ModuleNode::Kind::waiting ? end.demand_class : 0,
                                loops_held(way.node, from.module)};
                looks[look][member(way.node, way.supplies)] += member_from.probability / node.orders;
            }
        }
        const auto first = static_cast<std::uint32_t>(result_.edges.size());
        for (const auto& [look, members] : looks) {
            double probability = 0;
            for (const auto& [number, weight] : members) probability += weight;
            edge_tails_.push_back({std::get<0>(look), std::get<1>(look)});
            const std::uint32_t target = state(members, from.module);
            result_.edges.push_back({target, 0, probabilities_ ? probability : 1});
        }
        result_.states[s].first_edge = first;
        result_.states[s].edges = static_cast<std::uint32_t>(result_.edges.size()) - first;
    }

    /// Targets after sources; none if there is a cycle [Kahn62].
    void find_order() {
        std::vector<std::uint32_t> into(result_.states.size(), 0);
        for (const LocalEdge& edge : result_.edges) ++into[edge.target];
        std::vector<std::uint32_t>& order = result_.order;
        for (std::uint32_t s = 0; s < result_.states.size(); ++s)
            if (into[s] == 0) order.push_back(s);
        for (std::size_t i = 0; i < order.size(); ++i) {
            for (const LocalEdge& edge : result_.edges_of(order[i]))
                if (--into[edge.target] == 0) order.push_back(edge.target);
        }
        if (order.size() < result_.states.size()) order.clear();
    }

    /// Merges states with equal futures, from the last one on; edges lead to the representatives.
    void merge() {
        for (std::uint32_t s = 0; s < result_.states.size(); ++s) result_.same.push_back(s);
        Numbers known;
        for (std::size_t i = result_.order.size(); i-- > 0;) {
            const std::uint32_t s = result_.order[i];
            const LocalState& state = result_.states[s];
            std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>> edges;
            for (std::uint32_t e = 0; e < state.edges; ++e) {
                LocalEdge& edge = result_.edges[state.first_edge + e];
                edges.emplace_back(edge.tail, result_.same[edge.target],
                                   std::bit_cast<std::uint64_t>(edge.probability));
            }
            std::sort(edges.begin(), edges.end());
            std::vector<std::uint64_t> key{static_cast<std::uint64_t>(state.kind), state.demand_class,
                                           state.loops_held};
            for (const auto& [tail, target, probability] : edges)
                key.insert(key.end(), {tail, target, probability});
            result_.same[s] = known.try_emplace(std::move(key), s).first->second;
        }
    }

    const CompiledNet& net_;
    const ModuleNet& modules_;
    bool probabilities_;
    WorkLimits limits_;
    LocalStates result_;
    Tails tails_;
    std::vector<Tails::Tail> edge_tails_;
    std::vector<LocalMember> members_;
    Numbers numbers_, states_;
};

}  // namespace

LocalWay follow_way(const ModuleNet& parts, std::uint32_t node, std::vector<Tokens> supplies,
                    std::uint32_t order) {
    const ModuleAutomaton& automaton = parts.automaton;
    LocalWay way{{}, node, std::move(supplies)};
    for (;;) {
        const Segment& segment =
            automaton.segments[automaton.orders[automaton.nodes[way.node].first_order + order]];
        way.segments.push_back(automaton.orders[automaton.nodes[way.node].first_order + order]);
        way.node = automaton.follow(segment, way.supplies.data());
        const ModuleNode& next = automaton.nodes[way.node];
        if (next.kind != ModuleNode::Kind::choosing || next.orders != 1 || way.segments.size() >= most_joined)
            return way;
        order = 0;
    }
}

WayEffects effects_of_way(const ModuleNet& parts, const LocalWay& way) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> sums;  // per step and counter
    WayEffects result;
    for (const std::uint32_t number : way.segments) {
        const Segment& segment = parts.automaton.segments[number];
        for (std::uint32_t i = 0; i < segment.at_once + segment.later; ++i) {
            const TimedEffect& effect = parts.automaton.effects[segment.first_effect + i];
            sums[{result.steps + effect.offset, effect.counter}] += effect.delta;
        }
        result.steps += segment.steps;
    }
    for (const auto& [at, delta] : sums)
        if (delta != 0) result.effects.push_back({at.first, {at.second, delta}});
    return result;
}

LocalStates local_states(const Plan& planned, bool probabilities, const WorkLimits& limits) {
    if (planned.modules()) return LocalStatesBuilder(planned, probabilities, limits).build();
    LocalStates result;
    result.stop = WorkEnd::not_applicable;
    result.reason = planned.not_modules();
    return result;
}

}  // namespace warpnet::worst
