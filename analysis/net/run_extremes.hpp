#pragma once

#include "analysis/explore/explore.hpp"
#include "engine/compiled_net.hpp"
#include "engine/replay.hpp"
#include "engine/run.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace warpnet {

struct ExtremesOptions {
    Semantics semantics = Semantics::maximal;
    std::uint64_t max_states = 1'000'000;
    std::uint64_t memory = std::uint64_t{4} << 30;  ///< bytes for markings and edges, about
    std::optional<std::chrono::steady_clock::time_point> deadline = {};
    const std::atomic<bool>* interrupt = nullptr;
};

/// The longest and the shortest run of a net, over all policies. Only a complete exploration says anything.
struct RunExtremes {
    ExploreStop stop = ExploreStop::complete;
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

/// Explores the graph of all steps from the initial marking (every maximal step of every reachable marking,
/// immediate steps being edges that cost nothing) and reads both extremes off it. O(states + edges) beyond
/// the enumeration of the steps; about 40 bytes a state, 8 bytes a place and state, 16 bytes an edge.
RunExtremes run_extremes(const CompiledNet& net, const ExtremesOptions& options = {});

}  // namespace warpnet
