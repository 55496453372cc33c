#pragma once

#include "analysis/states/explore/explore.hpp"
#include "analysis/states/explore/step_graph.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/run/replay.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpnet {

/// The extreme runs of a net in the graph of all its steps, as the markings that they pass, first the initial
/// one. Lengths count timed steps only.
struct RunLengths {
    std::optional<std::uint64_t> shortest;  ///< absent: no dead marking can be reached
    std::vector<std::uint32_t> shortest_path;
    std::optional<std::uint64_t> longest;  ///< absent: a run can go on for ever
    std::vector<std::uint32_t> longest_path;
    /// Where a run can go on for ever: the way to a marking, and from it back to it (the marking itself
    /// stands at both ends).
    std::vector<std::uint32_t> cycle_prefix, cycle;
};

/// Breadth-first for the shortest, depth-first for the longest run. O(states + edges); 30 to 50 bytes a
/// state.
RunLengths run_lengths(const StepGraph& graph);

/// The longest and the shortest run of a net, over all policies. Only a complete exploration says anything.
struct RunExtremes {
    WorkEnd stop = WorkEnd::complete;
    std::uint64_t states = 0;
    std::uint64_t edges = 0;
    std::uint64_t dead_states = 0;
    /// Steps to a dead marking and a schedule that takes so many. Longest: absent where a run can go on for
    /// ever.
    std::optional<std::uint64_t> longest = {};
    Schedule longest_schedule = {};
    /// Absent where no dead marking can be reached.
    std::optional<std::uint64_t> shortest = {};
    Schedule shortest_schedule = {};
    /// Where a run can go on for ever: the way to a marking and the steps that lead from it back to it.
    Schedule cycle_prefix = {};
    Schedule cycle = {};
};

/// Explores the graph of all steps from the initial marking and reads both extremes off it (explore/). The
/// memory limit covers the graph too. Runs on the threads of the caller's arena.
RunExtremes run_extremes(const CompiledNet& net,
                         const ExploreOptions& options = {.semantics = Semantics::maximal});

}  // namespace warpnet
