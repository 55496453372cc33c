// Answers from the set of all reachable markings (analysis/states/diagrams): a condition is possible if its
// intersection with the set is not empty, sums and bounds take one pass over the nodes, and CTL takes
// fixpoints backwards. A witness needs a breadth-first search of sets, which can take far longer than the
// diagram; it has its own small budget, and guided search finds the path if the budget ends first.

#include "analysis/states/diagrams/marking_diagram.hpp"
#include "analysis/states/properties/parts.hpp"

#include <limits>

namespace warpnet::states {

namespace {

/// A shortest path into a set, if it is found within the allowed work.
std::optional<Schedule> way_into(MarkingDiagram& diagram, DiagramNode found,
                                 const DecisionDiagramOptions& options) {
    if (!options.schedules) return std::nullopt;
    WorkLimits limits = options.limits;
    limits.effort = options.schedule_effort;
    diagram.allow(limits);
    try {
        return diagram.shortest_way(found);
    } catch (const LimitReached&) {
        return std::nullopt;
    }
}

void decide(MarkingDiagram& diagram, const DecisionDiagramOptions& options, ReachGoal& goal) {
    diagram.allow(options.limits);
    const DiagramNode found = diagram.select(diagram.reachable(), goal.condition);
    goal.reachable = found != DiagramNodes::none;
    if (!*goal.reachable) return;
    goal.marking = diagram.some(found);
    goal.schedule = way_into(diagram, found, options);
    goal.shortest = goal.schedule.has_value();
}

void decide(MarkingDiagram& diagram, const DecisionDiagramOptions& options, MaximumGoal& goal) {
    diagram.allow(options.limits);
    MarkingDiagram::Maximum maximum = diagram.maximum(goal.sum);
    goal.best = maximum.value;
    goal.marking = std::move(maximum.marking);
    goal.exact = true;
    LinearSum rest = goal.sum;  // 0 if the sum has its largest value
    constexpr WideSum most = std::numeric_limits<std::int64_t>::max();
    const WideSum constant = rest.constant - goal.best;
    if (constant > most || constant < -most) return;
    rest.constant = static_cast<std::int64_t>(constant);
    const DiagramNode found =
        diagram.select(diagram.reachable(), comparison(std::move(rest), Relation::equal));
    goal.schedule = way_into(diagram, found, options);
}

void decide(MarkingDiagram& diagram, const DecisionDiagramOptions& options, Goals& goals) {
    for (ReachGoal& goal : goals.reach)
        if (!goal.reachable) decide(diagram, options, goal);
    for (MaximumGoal& goal : goals.maxima)
        if (!goal.exact) decide(diagram, options, goal);
    if (goals.changes.empty()) return;
    const MarkingDiagram::Bounds bounds = diagram.bounds();
    for (std::size_t p = 0; p < goals.changes.size(); ++p)
        goals.changes[p] = bounds.least[p] < bounds.most[p] ? 1 : 0;
    goals.changes_complete = true;
}

/// Each question may take as much work as the diagram; one that takes more stays open.
void decide(MarkingDiagram& diagram, const CompiledNet& compiled, const DecisionDiagramOptions& options,
            PathQuestion& path) {
    diagram.allow(options.limits);
    try {
        const DiagramNode holds = diagram.select(diagram.reachable(), path.formula);
        path.holds = diagram.contains(holds, compiled.initial);
    } catch (const LimitReached& limit) {
        if (limit.why() != WorkEnd::effort_limit) throw;
    }
}

}  // namespace

DecisionDiagramOutcome try_decision_diagrams(const CompiledNet& compiled,
                                             const DecisionDiagramOptions& options, Goals& goals,
                                             std::vector<PathQuestion>& paths) {
    const DiagramResult result = diagram_of(compiled, options.limits);
    if (result.stop != WorkEnd::complete) return {result.stop, 0};
    const MarkingCount count = result.diagram->count(result.diagram->reachable());
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    DecisionDiagramOutcome outcome{WorkEnd::complete,
                                   count < most ? count.convert_to<std::uint64_t>() : most};
    try {
        decide(*result.diagram, options, goals);
        for (PathQuestion& path : paths) decide(*result.diagram, compiled, options, path);
    } catch (const LimitReached& limit) {
        outcome.stop = limit.why();
    }
    return outcome;
}

}  // namespace warpnet::states
