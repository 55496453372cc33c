// Turns the automaton of a kind of modules into single steps with one hub, for the linear programs of
// pair_bound.cpp. A state is the marking of the module and the number of hub tokens held. A wait is one state
// with a move to itself, so its length is open. The module that moves last also remembers how long ago it was
// served and how soon it will be, up to a limit: its states are multiplied by these memories. Cost: linear in
// the total delay of the automaton.

#include "analysis/worst/bounds/module_steps.hpp"

#include "engine/base/disjoint_sets.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace warpnet::worst {

namespace {

/// Expands the automaton of one kind of modules step by step.
class StepBuilder {
  public:
    StepBuilder(const CompiledNet& net, const ModuleNet& parts, std::uint32_t example, std::uint32_t hub,
                const std::vector<std::uint8_t>& ample, std::size_t most_states)
        : net_(net),
          automaton_(parts.automaton),
          places_(parts.places[example]),
          transitions_(parts.transitions[example]),
          supplies_(parts.supplies[example]),
          hub_(hub),
          ample_(ample),
          most_states_(most_states) {
        steps_.used_up.assign(supplies_.size(), 1);
    }

    /// The state of a start node.
    std::uint32_t start(std::uint32_t node) {
        const std::uint32_t state = state_of(marking_of(node), 0);
        visit(node, 0);
        return state;
    }

    /// False if the modules do not have the supported shape, or are too large.
    bool build() {
        while (!open_.empty() && fits_) {
            const auto [node, held] = open_.back();
            open_.pop_back();
            leave(node, held);
            fits_ = fits_ && states_.size() <= most_states_;
        }
        return fits_;
    }

    ModuleSteps take() {
        for (const auto& [move, uses] : moves_) {
            const auto [from, to, holds, waits, rests] = move;
            steps_.moves.push_back({from, to, static_cast<std::uint8_t>(holds), waits, rests});
            for (const PlaceWeight use : uses) steps_.uses.append(use);
            steps_.uses.close_row();
        }
        steps_.ended.resize(states_.size(), 0);
        return std::move(steps_);
    }

  private:
    using Key = std::vector<Tokens>;  // tokens per place except supplies, then the held tokens of the hub
    using Move = std::tuple<std::uint32_t, std::uint32_t, Tokens, bool, bool>;

    Key marking_of(std::uint32_t node) const {
        const auto row = automaton_.markings[node];
        return {row.begin(), row.end()};
    }

    std::uint32_t state_of(Key marking, Tokens held) {
        for (const std::uint32_t supply : supplies_) marking[local(supply)] = 0;
        marking.push_back(held);
        const auto next = static_cast<std::uint32_t>(states_.size());
        return states_.try_emplace(std::move(marking), next).first->second;
    }

    std::size_t local(std::uint32_t place) const {
        return static_cast<std::size_t>(std::lower_bound(places_.begin(), places_.end(), place) -
                                        places_.begin());
    }

    void visit(std::uint32_t node, Tokens held) {
        if (visited_.insert({node, held}).second) open_.push_back({node, held});
    }

    void leave(std::uint32_t number, Tokens held) {
        const ModuleNode& node = automaton_.nodes[number];
        const std::uint32_t state = state_of(marking_of(number), held);
        if (node.kind == ModuleNode::Kind::over) {
            end(number, state);
            return;
        }
        Tokens taken = held;
        if (node.kind == ModuleNode::Kind::waiting) {
            for (const auto [hub, weight] : automaton_.demand_classes[node.demand_class]) {
                if (hub == hub_) {
                    taken += weight;
                    fits_ = fits_ && weight == 1 && held == 0;
                    moves_.insert({Move{state, state, 0, true, false}, {}});
                } else {
                    fits_ = fits_ && ample_[hub] != 0;
                }
            }
        }
        std::set<std::uint32_t> segments(automaton_.orders.begin() + node.first_order,
                                         automaton_.orders.begin() + node.first_order + node.orders);
        for (const std::uint32_t segment : segments)
            follow(number, automaton_.segments[segment], taken, state);
    }

    void end(std::uint32_t number, std::uint32_t state) {
        if (steps_.ended.size() <= state) steps_.ended.resize(state + 1, 0);
        steps_.ended[state] = 1;
        moves_.insert({Move{state, state, 0, false, true}, {}});
        for (std::size_t supply = 0; supply < supplies_.size(); ++supply) {
            if (automaton_.markings[number][local(supplies_[supply])] > 0) steps_.used_up[supply] = 0;
        }
    }

    /// The steps of a segment; `held` in the first of them.
    void follow(std::uint32_t number, const Segment& segment, Tokens held, std::uint32_t state) {
        Key marking = marking_of(number);
        std::uint32_t step = 0;
        for (std::uint32_t p = 0; p < segment.parts; ++p) {
            const PathPart& part = automaton_.parts[segment.first_part + p];
            const std::vector<PlaceWeight> uses = fire(part, marking);
            for (std::uint32_t i = 0; i < part.repeats; ++i, ++step) {
                if (i > 0) fire(part, marking);
                const Tokens now = held;
                held -= given(segment, step);
                const std::uint32_t next = state_of(marking, held);
                moves_.insert({Move{state, next, now, false, false}, uses});
                state = next;
                if (states_.size() > most_states_ || now < 0 || now > 1) {
                    fits_ = false;
                    return;
                }
            }
        }
        std::size_t targets = 1;
        for (std::uint32_t i = 0; i < segment.uses; ++i) {
            const SupplyUse& use = automaton_.uses[segment.first_use + i];
            if (use.stride > 0) targets *= static_cast<std::size_t>(use.weight) + 1;
        }
        for (std::size_t i = 0; i < targets; ++i) visit(automaton_.targets[segment.first_target + i], held);
    }

    /// Fires the transitions of a part once; returns the tokens taken from supplies.
    std::vector<PlaceWeight> fire(const PathPart& part, Key& marking) const {
        std::vector<PlaceWeight> uses;
        for (std::uint32_t i = 0; i < part.fired; ++i) {
            const std::uint32_t transition = transitions_[automaton_.fired[part.first_fired + i]];
            for (const Effect& effect : net_.effects[transition]) {
                const std::size_t at = local(effect.place);
                if (at >= places_.size() || places_[at] != effect.place) continue;  // a hub
                marking[at] += effect.delta;
                const auto supply = std::find(supplies_.begin(), supplies_.end(), effect.place);
                if (supply != supplies_.end())
                    uses.push_back({static_cast<std::uint32_t>(supply - supplies_.begin()), -effect.delta});
            }
        }
        return uses;
    }

    Tokens given(const Segment& segment, std::uint32_t step) const {
        Tokens sum = 0;
        for (std::uint32_t i = 0; i < segment.at_once + segment.later; ++i) {
            const TimedEffect& effect = automaton_.effects[segment.first_effect + i];
            if (effect.offset == step && effect.counter == hub_) sum += effect.delta;
        }
        return sum;
    }

    const CompiledNet& net_;
    const ModuleAutomaton& automaton_;
    std::span<const std::uint32_t> places_, transitions_, supplies_;
    std::uint32_t hub_;
    const std::vector<std::uint8_t>& ample_;
    std::size_t most_states_;
    std::map<Key, std::uint32_t> states_;
    struct UsesBefore {
        bool operator()(const std::pair<Move, std::vector<PlaceWeight>>& a,
                        const std::pair<Move, std::vector<PlaceWeight>>& b) const {
            if (a.first != b.first) return a.first < b.first;
            return std::lexicographical_compare(a.second.begin(), a.second.end(), b.second.begin(),
                                                b.second.end(), [](PlaceWeight x, PlaceWeight y) {
                                                    return std::tie(x.place, x.weight) <
                                                           std::tie(y.place, y.weight);
                                                });
        }
    };
    std::set<std::pair<Move, std::vector<PlaceWeight>>, UsesBefore> moves_;
    std::set<std::pair<std::uint32_t, Tokens>> visited_;
    std::vector<std::pair<std::uint32_t, Tokens>> open_;
    ModuleSteps steps_;
    bool fits_ = true;
};

}  // namespace

std::optional<std::vector<ModuleSteps>> module_steps(const CompiledNet& net, const ModuleNet& parts,
                                                     const ModuleGraph& graph,
                                                     const std::vector<ModuleClass>& classes,
                                                     std::uint32_t hub,
                                                     const std::vector<std::uint8_t>& ample,
                                                     std::size_t most_states) {
    // Classes of one kind have nodes in common, or nodes with paths to one another.
    DisjointSets forest(graph.reached.size());
    for (const ModuleGraph::Edge& edge : graph.edges) forest.join(edge.from, edge.to);
    std::vector<ModuleSteps> result;
    std::vector<std::uint8_t> done(classes.size(), 0);
    for (std::size_t i = 0; i < classes.size(); ++i) {
        if (done[i] != 0) continue;
        StepBuilder builder(net, parts, classes[i].first, hub, ample, most_states);
        std::vector<std::uint32_t> starts, members;
        for (std::size_t j = i; j < classes.size(); ++j) {
            if (done[j] != 0 || forest.root(classes[i].start) != forest.root(classes[j].start)) continue;
            done[j] = 1;
            members.push_back(static_cast<std::uint32_t>(j));
            starts.push_back(builder.start(classes[j].start));
        }
        if (!builder.build()) return std::nullopt;
        ModuleSteps& steps = result.emplace_back(builder.take());
        steps.start = std::move(starts);
        steps.classes = std::move(members);
    }
    return result;
}

namespace {

/// Memories of a state: how many steps ago w was served after a wait (up to a limit), or, during a wait: that
/// it will last this many more steps, or longer.
class LastPartBuilder {
  public:
    LastPartBuilder(const ModuleSteps& steps, LastPartMemory memory)
        : steps_(steps),
          longest_(memory.steps_served),
          remembered_waits_(memory.steps_waiting),
          leaving_(moves_by_state(steps.moves, steps.ended.size())) {}

    LastPart build(std::uint32_t start) {
        result_.start = number({start, 0});
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const State state = order_[i];
            const auto from = static_cast<std::uint32_t>(i);
            for (const std::uint32_t move : leaving_[state.state]) {
                if (steps_.moves[move].rests) continue;
                if (steps_.moves[move].waits) {
                    wait(from, state, move);
                } else if (!must_wait(state)) {
                    work(from, state, move);
                }
            }
        }
        result_.states = static_cast<std::uint32_t>(order_.size());
        return std::move(result_);
    }

  private:
    struct State {
        std::uint32_t state;
        std::uint32_t memory;  ///< up to longest_: a clock; then the rest of a wait 0, 1, ...; then many
        bool operator<(const State& other) const {
            return std::tie(state, memory) < std::tie(other.state, other.memory);
        }
    };
    std::uint32_t waits_to_come(std::uint32_t waits) const { return longest_ + 1 + waits; }
    std::uint32_t many_waits() const { return waits_to_come(remembered_waits_); }
    bool waiting(const State& state) const { return state.memory > longest_; }
    bool must_wait(const State& state) const { return state.memory > waits_to_come(0); }

    std::uint32_t number(State state) {
        const auto [at, added] = numbers_.try_emplace(state, static_cast<std::uint32_t>(order_.size()));
        if (added) order_.push_back(state);
        return at->second;
    }

    void wait(std::uint32_t from, const State& state, std::uint32_t move) {
        const auto to = [&](std::uint32_t memory) {
            const std::uint32_t next = number({state.state, memory});
            result_.moves.push_back({from, next, move, false});
        };
        if (!waiting(state)) {
            for (std::uint32_t waits = 0; waits < remembered_waits_; ++waits) to(waits_to_come(waits));
            to(many_waits());
        } else if (state.memory == many_waits()) {
            to(many_waits());
            to(waits_to_come(remembered_waits_ - 1));
        } else if (must_wait(state)) {
            to(state.memory - 1);
        }
    }

    void work(std::uint32_t from, const State& state, std::uint32_t move) {
        const std::uint32_t clock = waiting(state) ? 0 : state.memory;
        const std::uint32_t target = steps_.moves[move].to;
        if (steps_.ended[target] != 0) result_.moves.push_back({from, 0, move, true});
        const std::uint32_t next = number({target, std::min(clock + 1, longest_)});
        result_.moves.push_back({from, next, move, false});
    }

    const ModuleSteps& steps_;
    std::uint32_t longest_;
    std::uint32_t remembered_waits_;
    Rows<std::uint32_t> leaving_;
    std::map<State, std::uint32_t> numbers_;
    std::vector<State> order_;
    LastPart result_;
};

}  // namespace

LastPart last_part(const ModuleSteps& steps, std::uint32_t start, LastPartMemory memory) {
    return LastPartBuilder(steps, memory).build(start);
}

std::vector<std::uint32_t> add_supply_rows(states::LinearProgram& program, const ModuleSteps& steps,
                                           const std::vector<Tokens>& supplies, std::int64_t times) {
    using Sense = states::LinearProgram::Sense;
    std::vector<std::uint32_t> rows;
    for (std::size_t s = 0; s < supplies.size(); ++s)
        rows.push_back(
            program.add_row(steps.used_up[s] != 0 ? Sense::equal : Sense::at_most, times * supplies[s]));
    return rows;
}

void add_last_part(states::LinearProgram& program, const ModuleSteps& steps, const LastPart& last,
                   const std::vector<Tokens>& supplies) {
    const std::vector<std::uint32_t> rows = add_supply_rows(program, steps, supplies);
    for (const LastPart::Move& move : last.moves) {
        const std::uint32_t column = program.add_column(1);
        for (const auto [supply, weight] : steps.uses[move.move])
            program.add_entry(rows[supply], column, weight);
    }
}

}  // namespace warpnet::worst
