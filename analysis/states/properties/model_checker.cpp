// CTL by fixpoints over the steps backwards [Clarke86], one bit per marking and subformula, O(formula x
// edges). Paths are maximal: endless, or ended by a dead marking, as in the Model Checking Contest. A
// fixpoint counts per state the steps that stay in the set, so each edge is used once per operator. Witnesses
// follow the distances to the target, or walk in the set until a state recurs.
//
// In a part of the graph an operator "on some path" has two values: surely, assuming that the missing steps
// lead to a marking in which nothing holds, and possibly, assuming that everything holds there [Bruns99]. The
// operators are monotone, so the truth lies between the two; negation exchanges them. The markings near the
// initial one often decide a formula about a graph of billions. Rejected: local evaluation by a dependency
// graph, which visits fewer markings, but needs an explorer of its own and one pass per formula.

#include "analysis/states/properties/model_checker.hpp"

#include "analysis/states/explore/state_space.hpp"
#include "analysis/states/properties/conditions.hpp"

#include <algorithm>
#include <utility>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace warpnet::states {

namespace {

using StateRange = tbb::blocked_range<std::uint32_t>;

StateSet complement(StateSet states) {
    for (std::uint8_t& state : states) state ^= 1;
    return states;
}

constexpr std::uint32_t unvisited = UINT32_MAX;

using Certainty = ModelChecker::Certainty;

Certainty opposite(Certainty certainty) {
    return certainty == Certainty::sure ? Certainty::possible : Certainty::sure;
}

}  // namespace

bool may_show_path(const Formula& formula, bool holds) {
    if (formula.kind == Formula::Kind::negation) return may_show_path(formula.operands.front(), !holds);
    return formula.kind >= Formula::Kind::next && holds != formula.on_all_paths;
}

ModelChecker::ModelChecker(const Net& net, const StateSpace& space, const StepGraph& graph)
    : net_(net), space_(space), graph_(graph), first_source_(std::size_t{graph.size()} + 1, 0) {
    for (std::uint32_t state = 0; state < graph.size(); ++state) {
        for (const std::uint32_t target : graph.targets(state)) ++first_source_[target + 1];
    }
    for (std::uint32_t state = 0; state < graph.size(); ++state)
        first_source_[state + 1] += first_source_[state];
    sources_.resize(graph.edges());
    std::vector<std::uint64_t> next(first_source_.begin(), first_source_.end() - 1);
    for (std::uint32_t state = 0; state < graph.size(); ++state) {
        for (const std::uint32_t target : graph.targets(state)) sources_[next[target]++] = state;
    }
}

std::uint64_t ModelChecker::bytes(std::uint64_t states, std::uint64_t edges) noexcept {
    return edges * sizeof(std::uint32_t) + states * (2 * sizeof(std::uint64_t) + 8);
}

StateSet ModelChecker::states_of(const Formula& formula, Certainty certainty) {
    if (is_state_formula(formula)) return state_formula(formula);
    if (formula.kind >= Formula::Kind::next) return temporal(formula, certainty);
    if (formula.kind == Formula::Kind::negation)
        return complement(states_of(formula.operands.front(), opposite(certainty)));
    StateSet states = states_of(formula.operands.front(), certainty);
    const bool all = formula.kind == Formula::Kind::conjunction;
    for (std::size_t i = 1; i < formula.operands.size(); ++i) {
        const StateSet other = states_of(formula.operands[i], certainty);
        for (std::size_t s = 0; s < states.size(); ++s)
            states[s] = all ? states[s] & other[s] : states[s] | other[s];
    }
    return states;
}

std::optional<bool> ModelChecker::holds_initially(const Formula& formula) {
    if (states_of(formula, Certainty::sure)[graph_.initial()] != 0) return true;
    if (!graph_.partial()) return false;
    if (states_of(formula, Certainty::possible)[graph_.initial()] == 0) return false;
    return std::nullopt;
}

StateSet ModelChecker::state_formula(const Formula& formula) const {
    const Condition condition(formula, net_);
    StateSet states(graph_.size());
    tbb::parallel_for(StateRange(0, graph_.size(), 4096), [&](const StateRange& range) {
        StateCoder coder(space_);
        for (std::uint32_t state = range.begin(); state != range.end(); ++state) {
            const Word* packed = coder.unpack_kept(graph_.id(state));
            states[state] =
                condition.holds([&](std::uint32_t place) { return space_.layout().tokens(packed, place); });
        }
    });
    return states;
}

/// A property on all paths is the complement of its opposite on some path.
StateSet ModelChecker::temporal(const Formula& formula, Certainty certainty) {
    const bool all = formula.on_all_paths;
    if (all) certainty = opposite(certainty);
    const auto operand = [&](const Formula& part) {
        return all ? complement(states_of(part, opposite(certainty))) : states_of(part, certainty);
    };
    const auto result = [&](StateSet on_some_path) {
        return all ? complement(std::move(on_some_path)) : on_some_path;
    };
    StateSet last = operand(formula.operands.back());
    const StateSet everywhere(last.size(), 1);
    switch (formula.kind) {
        case Formula::Kind::next:
            return result(some_next(last, certainty));
        case Formula::Kind::finally:
            return result(all ? some_globally(std::move(last), certainty)
                              : some_until(everywhere, std::move(last), certainty));
        case Formula::Kind::globally:
            return result(all ? some_until(everywhere, std::move(last), certainty)
                              : some_globally(std::move(last), certainty));
        default: {
            StateSet first = operand(formula.operands.front());
            if (!all) return some_until(first, std::move(last), certainty);
            // Not: never the second, or neither before the second.
            for (std::size_t s = 0; s < first.size(); ++s) first[s] &= last[s];
            StateSet fails = some_until(last, std::move(first), certainty);
            const StateSet never = some_globally(std::move(last), certainty);
            for (std::size_t s = 0; s < fails.size(); ++s) fails[s] |= never[s];
            return complement(std::move(fails));
        }
    }
}

StateSet ModelChecker::some_next(const StateSet& operand, Certainty certainty) const {
    StateSet states(graph_.size());
    tbb::parallel_for(StateRange(0, graph_.size(), 4096), [&](const StateRange& range) {
        for (std::uint32_t state = range.begin(); state != range.end(); ++state) {
            const auto targets = graph_.targets(state);
            states[state] = (certainty == Certainty::possible && graph_.open(state)) ||
                            std::any_of(targets.begin(), targets.end(),
                                        [&](std::uint32_t target) { return operand[target] != 0; });
        }
    });
    return states;
}

StateSet ModelChecker::some_until(const StateSet& hold, StateSet reached, Certainty certainty) const {
    std::vector<std::uint32_t> to_do;
    for (std::uint32_t state = 0; state < graph_.size(); ++state) {
        if (certainty == Certainty::possible && graph_.open(state)) reached[state] |= hold[state];
        if (reached[state] != 0) to_do.push_back(state);
    }
    while (!to_do.empty()) {
        const std::uint32_t state = to_do.back();
        to_do.pop_back();
        for (const std::uint32_t source : sources(state)) {
            if (reached[source] != 0 || hold[source] == 0) continue;
            reached[source] = 1;
            to_do.push_back(source);
        }
    }
    return reached;
}

/// Removes states all of whose steps leave the set, until there is none.
StateSet ModelChecker::some_globally(StateSet hold, Certainty certainty) const {
    std::vector<std::uint32_t> inside(graph_.size(), 0);  // steps that stay in the set
    std::vector<std::uint32_t> to_do;
    for (std::uint32_t state = 0; state < graph_.size(); ++state) {
        if (hold[state] == 0) continue;
        const auto targets = graph_.targets(state);
        const bool open = graph_.open(state);
        for (const std::uint32_t target : targets) inside[state] += hold[target];
        if (open && certainty == Certainty::possible) ++inside[state];  // never removed
        if (inside[state] == 0 && (open || !targets.empty())) to_do.push_back(state);
    }
    for (const std::uint32_t state : to_do) hold[state] = 0;
    while (!to_do.empty()) {
        const std::uint32_t state = to_do.back();
        to_do.pop_back();
        for (const std::uint32_t source : sources(state)) {
            if (hold[source] == 0 || --inside[source] != 0) continue;
            hold[source] = 0;
            to_do.push_back(source);
        }
    }
    return hold;
}

std::optional<ModelChecker::Path> ModelChecker::shortest(const StateSet& through, const StateSet& to) const {
    std::vector<std::uint32_t> parent(graph_.size(), unvisited);
    std::vector<std::uint32_t> open = {graph_.initial()};
    parent[graph_.initial()] = graph_.initial();
    for (std::size_t at = 0; at < open.size(); ++at) {
        const std::uint32_t state = open[at];
        if (to[state] != 0) {
            Path path{{state}, {}};
            while (parent[path.states.back()] != path.states.back())
                path.states.push_back(parent[path.states.back()]);
            std::reverse(path.states.begin(), path.states.end());
            return path;
        }
        if (through[state] == 0) continue;
        for (const std::uint32_t target : graph_.targets(state)) {
            if (parent[target] != unvisited) continue;
            parent[target] = state;
            open.push_back(target);
        }
    }
    return std::nullopt;
}

/// Walks within a set that some_globally() has left, until it must stop or a state recurs.
ModelChecker::Path ModelChecker::endless(const StateSet& within) const {
    Path path;
    std::vector<std::uint32_t> position(graph_.size(), unvisited);
    std::uint32_t state = graph_.initial();
    while (position[state] == unvisited) {
        position[state] = static_cast<std::uint32_t>(path.states.size());
        path.states.push_back(state);
        const auto targets = graph_.targets(state);
        const auto next = std::find_if(targets.begin(), targets.end(),
                                       [&](std::uint32_t target) { return within[target] != 0; });
        if (next == targets.end()) return path;
        state = *next;
    }
    path.repeats_from = position[state];
    path.states.push_back(state);
    return path;
}

std::optional<ModelChecker::Path> ModelChecker::path_for(const Formula& formula) {
    if (formula.kind == Formula::Kind::negation) return path_for(formula.operands.front());
    if (formula.kind < Formula::Kind::next) return std::nullopt;
    // The path proves that some path surely has a property: that of the formula, or the opposite of a failed
    // one.
    const bool all = formula.on_all_paths;
    const std::optional<bool> holds = holds_initially(formula);
    if (!holds || !may_show_path(formula, *holds)) return std::nullopt;
    const auto operand = [&](const Formula& part) {
        return all ? complement(states_of(part, Certainty::possible)) : states_of(part, Certainty::sure);
    };
    StateSet last = operand(formula.operands.back());
    const StateSet everywhere(last.size(), 1);
    const bool opposite_of_finally = all && formula.kind == Formula::Kind::finally;
    if (formula.kind == Formula::Kind::next) {
        for (const std::uint32_t target : graph_.targets(graph_.initial()))
            if (last[target] != 0) return Path{{graph_.initial(), target}, {}};
        return std::nullopt;
    }
    if (opposite_of_finally || (!all && formula.kind == Formula::Kind::globally))
        return endless(some_globally(std::move(last), Certainty::sure));
    if (formula.kind != Formula::Kind::until) return shortest(everywhere, last);
    StateSet first = operand(formula.operands.front());
    if (!all) return shortest(first, last);
    for (std::size_t s = 0; s < first.size(); ++s) first[s] &= last[s];
    if (auto path = shortest(last, first)) return path;
    return endless(some_globally(std::move(last), Certainty::sure));
}

}  // namespace warpnet::states
