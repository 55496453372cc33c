#include "analysis/explore/path_to.hpp"

#include "analysis/steps/possible_steps.hpp"

#include <algorithm>
#include <stdexcept>

namespace warpnet {

namespace {

/// The first step that leads from one marking to another.
ScheduledStep step_between(const CompiledNet& net, Semantics semantics, const Marking& from,
                           const Marking& to) {
    ScheduledStep found;
    Marking after;
    for_each_possible_step(net, from, semantics, [&](const ScheduledStep& step) {
        after = from;
        if (!fire_step(net, step, after) || after != to) return true;
        found = step;
        return false;
    });
    if (found.transitions.empty()) throw std::logic_error("no step leads from a marking to its successor");
    return found;
}

}  // namespace

Schedule path_to(const CompiledNet& net, Semantics semantics, const StateSpace& space, StateId state) {
    Schedule schedule;
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

}  // namespace warpnet
