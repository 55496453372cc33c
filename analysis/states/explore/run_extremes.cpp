// The longest run is the longest path in the graph of all steps, found by depth-first search in O(states +
// edges): a cycle means that a run can be endless. The shortest run is a breadth-first search in which
// immediate steps cost 0. Both are extremes over all policies, because every possible step is an edge. Nets
// whose modules meet in hubs have a faster exact search (worst/exact).

#include "analysis/states/explore/run_extremes.hpp"

#include "analysis/states/explore/path_to.hpp"
#include "analysis/states/explore/step_graph.hpp"
#include "engine/base/no_index.hpp"

#include <algorithm>
#include <deque>

namespace warpnet::states {

namespace {

constexpr std::uint64_t unknown = ~std::uint64_t{0};

/// Breadth-first from the start; an immediate step costs 0 and a timed one 1.
void find_shortest(const StepGraph& graph, RunLengths& result) {
    std::vector<std::uint64_t> distance(graph.size(), unknown);
    std::vector<std::uint32_t> reached_from(graph.size(), no_index);
    std::deque<std::pair<std::uint64_t, std::uint32_t>> queue{{0, graph.initial()}};
    distance[graph.initial()] = 0;
    while (!queue.empty()) {
        const auto [steps, state] = queue.front();
        queue.pop_front();
        if (steps > distance[state]) continue;
        if (graph.targets(state).empty()) {
            result.shortest = steps;
            for (std::uint32_t at = state; at != no_index; at = reached_from[at])
                result.shortest_path.push_back(at);
            std::reverse(result.shortest_path.begin(), result.shortest_path.end());
            return;
        }
        const bool timed = graph.timed(state);
        const std::uint64_t then = steps + (timed ? 1 : 0);
        for (const std::uint32_t target : graph.targets(state)) {
            if (then >= distance[target]) continue;
            distance[target] = then;
            reached_from[target] = state;
            if (timed) {
                queue.emplace_back(then, target);
            } else {
                queue.emplace_front(then, target);
            }
        }
    }
}

/// A state is finished after all its successors, when its longest run is known. A step to a state that is
/// still on the path closes a cycle.
void find_longest(const StepGraph& graph, RunLengths& result) {
    enum Colour : std::uint8_t { fresh, on_path, finished };
    std::vector<std::uint8_t> colour(graph.size(), fresh);
    std::vector<std::uint64_t> longest(graph.size(), 0);
    std::vector<std::uint32_t> best(graph.size(), no_index);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> path{{graph.initial(), 0}};  // state, steps taken
    colour[graph.initial()] = on_path;
    while (!path.empty()) {
        auto& [state, taken] = path.back();
        const auto targets = graph.targets(state);
        if (taken == targets.size()) {
            colour[state] = finished;
            for (const std::uint32_t target : targets) {
                const std::uint64_t steps = longest[target] + (graph.timed(state) ? 1 : 0);
                if (best[state] != no_index && steps <= longest[state]) continue;
                longest[state] = steps;
                best[state] = target;
            }
            path.pop_back();
            continue;
        }
        const std::uint32_t target = targets[taken++];
        if (colour[target] == finished) continue;
        if (colour[target] == on_path) {
            bool in_cycle = false;
            for (const auto& [passed, steps] : path) {
                if (!in_cycle) result.cycle_prefix.push_back(passed);
                in_cycle = in_cycle || passed == target;
                if (in_cycle) result.cycle.push_back(passed);
            }
            result.cycle.push_back(target);
            return;
        }
        colour[target] = on_path;
        path.emplace_back(target, 0);
    }
    result.longest = longest[graph.initial()];
    for (std::uint32_t at = graph.initial(); at != no_index; at = best[at]) result.longest_path.push_back(at);
}

}  // namespace

RunLengths run_lengths(const StepGraph& graph) {
    RunLengths result;
    find_shortest(graph, result);
    find_longest(graph, result);
    return result;
}

RunExtremes run_extremes(const CompiledNet& net, const ExploreOptions& options) {
    const Exploration explored = explore(net, options);
    RunExtremes result;
    result.stop = explored.stop;
    result.states = explored.space.size();
    result.edges = explored.edges;
    if (!explored.complete()) return result;
    if (explored.space.bytes() + StepGraph::bytes(explored) > options.limits.memory) {
        result.stop = WorkEnd::memory_limit;
        return result;
    }
    const std::optional<StepGraph> graph = step_graph(net, options, explored);
    if (!graph) {
        result.stop = options.limits.interrupted() ? WorkEnd::interrupted : WorkEnd::time_limit;
        return result;
    }
    const RunLengths lengths = run_lengths(*graph);
    const auto schedule = [&](const std::vector<std::uint32_t>& states) {
        return path_through(net, options.semantics, explored.space, *graph, states);
    };
    result.dead_states = explored.deadlocks;
    result.longest = lengths.longest;
    result.longest_schedule = schedule(lengths.longest_path);
    result.shortest = lengths.shortest;
    result.shortest_schedule = schedule(lengths.shortest_path);
    result.cycle_prefix = schedule(lengths.cycle_prefix);
    result.cycle = schedule(lengths.cycle);
    return result;
}

}  // namespace warpnet::states
