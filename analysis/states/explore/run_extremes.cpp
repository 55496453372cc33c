#include "analysis/states/explore/run_extremes.hpp"

#include "analysis/states/explore/path_to.hpp"
#include "analysis/states/explore/run_lengths.hpp"
#include "analysis/states/explore/step_graph.hpp"

namespace warpnet {

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

}  // namespace warpnet
