#pragma once

#include "analysis/states/explore/step_graph.hpp"

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

}  // namespace warpnet
