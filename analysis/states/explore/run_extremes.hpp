#pragma once

#include "analysis/states/explore/explore.hpp"
#include "analysis/states/explore/step_graph.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/run/replay.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpnet::states {

/// The extreme runs of a net in the graph of all its steps, as the markings that they visit, beginning with
/// the initial one. Lengths count timed steps only.
struct RunLengths {
    std::optional<std::uint64_t> shortest;  ///< absent: no dead marking can be reached
    std::vector<std::uint32_t> shortest_path;
    std::optional<std::uint64_t> longest;  ///< absent: a run can be endless
    std::vector<std::uint32_t> longest_path;
    /// If a run can be endless: the path to a marking, and from it back to it (the marking itself is at both
    /// ends).
    std::vector<std::uint32_t> cycle_prefix, cycle;
};

/// Breadth-first for the shortest run, depth-first for the longest. O(states + edges); 30 to 50 bytes per
/// state.
RunLengths run_lengths(const StepGraph& graph);

/// The longest and the shortest run of a net, over all policies. Only a complete exploration proves anything.
struct RunExtremes {
    WorkEnd stop = WorkEnd::complete;
    std::uint64_t states = 0;
    std::uint64_t edges = 0;
    std::uint64_t dead_states = 0;
    /// Steps to a dead marking and a schedule of that length. Longest: absent if a run can be endless.
    std::optional<std::uint64_t> longest = {};
    Schedule longest_schedule = {};
    /// Absent if no dead marking can be reached.
    std::optional<std::uint64_t> shortest = {};
    Schedule shortest_schedule = {};
    /// If a run can be endless: the path to a marking and the steps from it back to it.
    Schedule cycle_prefix = {};
    Schedule cycle = {};
};

/// Explores the graph of all steps from the initial marking and computes both extremes on it (explore/). The
/// memory limit covers the graph too. Runs on the threads of the caller's arena.
RunExtremes run_extremes(const CompiledNet& net,
                         const ExploreOptions& options = {.semantics = Semantics::maximal});

}  // namespace warpnet::states
