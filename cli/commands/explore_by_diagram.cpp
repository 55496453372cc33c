#include "cli/commands/explore_by_diagram.hpp"

#include "analysis/states/diagrams/marking_diagram.hpp"
#include "engine/run/replay.hpp"

#include <stdexcept>

namespace warpnet::cli {

namespace {

// How much is tried where states could be explored one by one as well (looks at nodes), and from how many of
// them on the figures serve, which have no depth.
constexpr std::uint64_t quick_effort = 16'000'000;
constexpr std::uint64_t too_many_states = 10'000'000;
constexpr std::uint64_t deadlock_effort = 2'000'000;  // looks at nodes for a way to a deadlock

void find_deadlock(const Net& net, const CompiledNet& compiled, WorkLimits limits, MarkingDiagram& diagram,
                   ExploreReport& report) {
    const DiagramNode dead = diagram.dead(diagram.reachable());
    if (dead == DiagramNodes::none) return;
    report.dead_marking = diagram.some(dead);
    limits.effort = deadlock_effort;
    diagram.allow(limits);
    try {
        report.to_deadlock = diagram.shortest_way(dead);
    } catch (const LimitReached&) {
        return;  // it is far away
    }
    const RunResult run = replay(compiled, net, *report.to_deadlock, report.semantics);
    if (run.reason != StopReason::dead) throw std::logic_error("the way to a deadlock does not end in one");
    report.dead_marking = run.marking;
}

/// What a diagram says of at least so many states; of fewer, or where it was not finished, why it says
/// nothing.
StateFigures figures_by_diagram(const WorkLimits& limits, const Net& net, const CompiledNet& compiled,
                                std::uint64_t effort, std::uint64_t least_states, ExploreReport& report) {
    WorkLimits of_diagram = limits;
    of_diagram.effort = effort;
    try {
        const DiagramResult result = diagram_of(compiled, of_diagram);
        if (!result.diagram) return {.stop = result.stop, .known = false};
        MarkingDiagram& diagram = *result.diagram;
        if (diagram.count(diagram.reachable()) < least_states)
            return {.stop = WorkEnd::not_applicable, .known = false};
        diagram.allow(limits);
        StateFigures figures = figures_of(compiled, diagram);
        find_deadlock(net, compiled, limits, diagram, report);
        return figures;
    } catch (const LimitReached& limit) {
        return {.stop = limit.why(), .known = false};
    }
}

}  // namespace

StateFigures explore_by_diagram(const WorkLimits& limits, const Net& net, const CompiledNet& compiled,
                                ExploreReport& report) {
    return figures_by_diagram(limits, net, compiled, 0, 0, report);
}

StateFigures explore_by_quick_diagram(const WorkLimits& limits, const Net& net, const CompiledNet& compiled,
                                      ExploreReport& report) {
    return figures_by_diagram(limits, net, compiled, quick_effort, too_many_states, report);
}

bool stays_with(StateFigures& few, const WorkLimits& limits) {
    if (!limits.must_end()) return false;
    few.stop = limits.asked_to_end();
    return true;
}

}  // namespace warpnet::cli
