#pragma once

#include "analysis/states/diagrams/marking_diagram.hpp"
#include "analysis/states/explore/explore.hpp"
#include "analysis/states/explore/run_extremes.hpp"
#include "analysis/states/explore/step_graph.hpp"
#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warpnet::states {

struct FigureOptions {
    ExploreOptions explore = {};
    /// `automatic`: a decision diagram if the state graph has more than two million edges, little effort
    /// suffices for it and no option needs the states one by one. `diagrams`: REQUIRES interleaving.
    ExploreEngine engine = ExploreEngine::automatic;
    /// Of states that differ by a permutation of equal parts, one is kept. explore.max_states then counts the
    /// kept ones.
    bool symmetric = true;
    bool liveness = false;          ///< liveness and run lengths for any number of edges
    std::size_t dead_markings = 0;  ///< the number of listed ones. REQUIRES: not `symmetric`
    /// Receives all states and the graph of all steps, each state separately, and may use `memory` bytes in
    /// all. Returns the reason if it did not use the graph, otherwise complete.
    std::function<WorkEnd(const Exploration& states, StepGraph graph, std::uint64_t memory)> use_graph = {};
};

/// The figures of all reachable markings, or of the visited ones.
struct StateFigures {
    Semantics semantics = Semantics::interleaving;
    WorkEnd stop = WorkEnd::complete;
    bool known = true;  ///< false: no figures, because of `stop`
    std::optional<MarkingCount> markings = {}, edges = {}, deadlocks = {};  ///< nothing: 2^64 or more
    std::optional<std::uint64_t> depth = {};                                ///< nothing: unknown
    std::vector<Tokens> bounds = {};                                        ///< per place
    std::optional<std::uint64_t> most_tokens = {};    ///< in a marking; nothing: at least 2^63
    std::vector<std::uint8_t> fired = {};             ///< per transition
    std::optional<std::uint64_t> packed_bytes = {};   ///< per marking, if they were explored one by one
    std::optional<std::uint64_t> diagram_nodes = {};  ///< of the decision diagram, if there was one

    std::optional<Schedule> to_deadlock = {};  ///< a shortest path to a dead marking, replayed
    std::optional<Marking> dead_marking = {};  ///< the last marking of that path, or any dead one
    struct DeadMarking {
        Schedule path;  ///< a shortest one
        Marking marking;
    };
    std::vector<DeadMarking> dead_markings = {};  ///< the nearest ones, as many as were requested
    std::optional<Liveness> liveness = {};
    std::optional<RunLengths> lengths = {};
    /// Of a net with symmetries: the number of kept markings, and a description of the symmetry.
    struct Orbits {
        std::uint64_t count;
        std::optional<MarkingCount> symmetries;  ///< nothing: 2^64 or more
        std::string parts;
    };
    std::optional<Orbits> orbits = {};
    std::optional<WorkEnd> graph_stop = {};  ///< why the requested liveness or graph is missing

    bool complete() const noexcept { return stop == WorkEnd::complete; }
};

/// Of all places; 0 if nothing is known.
Tokens most_in_a_place(const StateFigures& figures);

/// Computes the figures of all reachable markings by the engine of the options. Threads, errors, costs and
/// ranks are those of explore(const CompiledNet&, ...). Among ranks the figures of rank 0 are the result;
/// liveness, dead_markings, use_graph and ExploreEngine::diagrams are unsupported there. Throws InputError if
/// a diagram is requested that the net does not have.
StateFigures explore(const Net& net, const FigureOptions& options);

}  // namespace warpnet::states
