#include "analysis/explore/path_to.hpp"

#include "analysis/steps/possible_steps.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace warpnet {

namespace {

/// The first step that leads from one marking to another, or to one that is equivalent to it.
ScheduledStep step_between(const CompiledNet& net, Semantics semantics, const Marking& from,
                           const Marking& to, const NetSymmetry* symmetry = nullptr) {
    ScheduledStep found;
    Marking after;
    for_each_possible_step(net, from, semantics, [&](const ScheduledStep& step) {
        after = from;
        if (!fire_step(net, step, after)) return true;
        if (symmetry != nullptr) symmetry->make_canonical(after);
        if (after != to) return true;
        found = step;
        return false;
    });
    if (found.transitions.empty()) throw std::logic_error("no step leads from a marking to its successor");
    return found;
}

}  // namespace

Schedule path_to(const CompiledNet& net, Semantics semantics, const StateSpace& space, StateId state,
                 const NetSymmetry* symmetry) {
    Schedule schedule;
    if (symmetry != nullptr) {
        std::vector<StateId> states = {state};
        while (space.parent(states.back()) != states.back()) states.push_back(space.parent(states.back()));
        Marking marking = space.marking(states.back());  // the initial one: no permutation changes it
        for (std::size_t i = states.size() - 1; i > 0; --i) {
            schedule.push_back(step_between(net, semantics, marking, space.marking(states[i - 1]), symmetry));
            fire_step(net, schedule.back(), marking);
        }
        return schedule;
    }
    for (StateId parent = space.parent(state); parent != state; parent = space.parent(state)) {
        schedule.push_back(step_between(net, semantics, space.marking(parent), space.marking(state)));
        state = parent;
    }
    std::reverse(schedule.begin(), schedule.end());
    return schedule;
}

Schedule path_through(const CompiledNet& net, Semantics semantics, const StateSpace& space,
                      const StepGraph& graph, const std::vector<std::uint32_t>& states) {
    Schedule schedule;
    for (std::size_t i = 1; i < states.size(); ++i) {
        schedule.push_back(step_between(net, semantics, space.marking(graph.id(states[i - 1])),
                                        space.marking(graph.id(states[i]))));
    }
    return schedule;
}

std::optional<LiftedPath> lifted_path(const CompiledNet& net, Semantics semantics, const StateSpace& space,
                                      const StepGraph& graph, const std::vector<std::uint32_t>& states,
                                      std::optional<std::uint32_t> repeats_from,
                                      const NetSymmetry& symmetry) {
    constexpr std::size_t most_rounds = 1000;
    LiftedPath path;
    Marking marking = space.marking(graph.id(states.front()));
    const auto go_through = [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            path.schedule.push_back(
                step_between(net, semantics, marking, space.marking(graph.id(states[i])), &symmetry));
            fire_step(net, path.schedule.back(), marking);
        }
    };
    if (!repeats_from) {
        go_through(1, states.size());
        return path;
    }
    std::map<Marking, std::size_t> seen;  // at the beginning of each round, and after how many steps
    go_through(1, std::size_t{*repeats_from} + 1);
    for (std::size_t round = 0; round < most_rounds; ++round) {
        const auto [known, is_new] = seen.emplace(marking, path.schedule.size());
        if (!is_new) {
            path.repeats_from = known->second;
            return path;
        }
        go_through(std::size_t{*repeats_from} + 1, states.size());
    }
    return std::nullopt;
}

}  // namespace warpnet
