#include "analysis/states/properties/model_checker.hpp"

#include "analysis/states/explore/state_space.hpp"
#include "analysis/states/properties/conditions.hpp"

#include <algorithm>
#include <utility>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

// CTL by fixpoints over the steps backwards [Clarke86], one bit per marking and subformula, O(formula x
// edges). Paths are maximal: endless, or ended by a dead marking, as in the Model Checking Contest. A
// fixpoint counts per state the steps that stay in the set, so each edge is used once per operator. Witnesses
// follow the distances to the target, or walk in the set until a state recurs.

namespace warpnet {

namespace {

using StateRange = tbb::blocked_range<std::uint32_t>;

StateSet complement(StateSet states) {
    for (std::uint8_t& state : states) state ^= 1;
    return states;
}

constexpr std::uint32_t unvisited = UINT32_MAX;

}  // namespace

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

StateSet ModelChecker::states_of(const Formula& formula) {
    if (is_state_formula(formula)) return state_formula(formula);
    if (formula.kind >= Formula::Kind::next) return temporal(formula);
    StateSet states = states_of(formula.operands.front());
    if (formula.kind == Formula::Kind::negation) return complement(std::move(states));
    const bool all = formula.kind == Formula::Kind::conjunction;
    for (std::size_t i = 1; i < formula.operands.size(); ++i) {
        const StateSet other = states_of(formula.operands[i]);
        for (std::size_t s = 0; s < states.size(); ++s)
            states[s] = all ? states[s] & other[s] : states[s] | other[s];
    }
    return states;
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
StateSet ModelChecker::temporal(const Formula& formula) {
    StateSet last = states_of(formula.operands.back());
    const StateSet everywhere(last.size(), 1);
    const bool all = formula.on_all_paths;
    switch (formula.kind) {
        case Formula::Kind::next:
            return all ? complement(some_next(complement(std::move(last)))) : some_next(last);
        case Formula::Kind::finally:
            return all ? complement(some_globally(complement(std::move(last))))
                       : some_until(everywhere, std::move(last));
        case Formula::Kind::globally: {
            if (!all) return some_globally(std::move(last));
            return complement(some_until(everywhere, complement(std::move(last))));
        }
        default: {
            const StateSet first = states_of(formula.operands.front());
            if (!all) return some_until(first, std::move(last));
            // Not: never the second, or neither before the second.
            const StateSet without = complement(std::move(last));
            StateSet neither = without;
            for (std::size_t s = 0; s < neither.size(); ++s)
                if (first[s] != 0) neither[s] = 0;
            StateSet fails = some_until(without, std::move(neither));
            const StateSet never = some_globally(without);
            for (std::size_t s = 0; s < fails.size(); ++s) fails[s] |= never[s];
            return complement(std::move(fails));
        }
    }
}

StateSet ModelChecker::some_next(const StateSet& operand) const {
    StateSet states(graph_.size());
    tbb::parallel_for(StateRange(0, graph_.size(), 4096), [&](const StateRange& range) {
        for (std::uint32_t state = range.begin(); state != range.end(); ++state) {
            const auto targets = graph_.targets(state);
            states[state] = std::any_of(targets.begin(), targets.end(),
                                        [&](std::uint32_t target) { return operand[target] != 0; });
        }
    });
    return states;
}

StateSet ModelChecker::some_until(const StateSet& hold, StateSet reached) const {
    std::vector<std::uint32_t> open;
    for (std::uint32_t state = 0; state < graph_.size(); ++state)
        if (reached[state] != 0) open.push_back(state);
    while (!open.empty()) {
        const std::uint32_t state = open.back();
        open.pop_back();
        for (const std::uint32_t source : sources(state)) {
            if (reached[source] != 0 || hold[source] == 0) continue;
            reached[source] = 1;
            open.push_back(source);
        }
    }
    return reached;
}

/// Removes states of which all steps leave the set, until there is none.
StateSet ModelChecker::some_globally(StateSet hold) const {
    std::vector<std::uint32_t> inside(graph_.size(), 0);  // steps that stay in the set
    std::vector<std::uint32_t> open;
    for (std::uint32_t state = 0; state < graph_.size(); ++state) {
        if (hold[state] == 0) continue;
        const auto targets = graph_.targets(state);
        for (const std::uint32_t target : targets) inside[state] += hold[target];
        if (inside[state] == 0 && !targets.empty()) open.push_back(state);
    }
    for (const std::uint32_t state : open) hold[state] = 0;
    while (!open.empty()) {
        const std::uint32_t state = open.back();
        open.pop_back();
        for (const std::uint32_t source : sources(state)) {
            if (hold[source] == 0 || --inside[source] != 0) continue;
            hold[source] = 0;
            open.push_back(source);
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
    // The path proves that some path has a property: that of the formula, or the opposite of a failed one.
    const bool all = formula.on_all_paths;
    if ((states_of(formula)[graph_.initial()] != 0) == all) return std::nullopt;
    StateSet last = states_of(formula.operands.back());
    const StateSet everywhere(last.size(), 1);
    const bool opposite_of_finally = all && formula.kind == Formula::Kind::finally;
    if (all) last = complement(std::move(last));
    if (formula.kind == Formula::Kind::next) {
        for (const std::uint32_t target : graph_.targets(graph_.initial()))
            if (last[target] != 0) return Path{{graph_.initial(), target}, {}};
        return std::nullopt;
    }
    if (opposite_of_finally || (!all && formula.kind == Formula::Kind::globally))
        return endless(some_globally(std::move(last)));
    if (formula.kind != Formula::Kind::until) return shortest(everywhere, last);
    const StateSet first = states_of(formula.operands.front());
    if (!all) return shortest(first, last);
    StateSet neither = last;
    for (std::size_t s = 0; s < neither.size(); ++s)
        if (first[s] != 0) neither[s] = 0;
    if (auto path = shortest(last, neither)) return path;
    return endless(some_globally(std::move(last)));
}

}  // namespace warpnet
