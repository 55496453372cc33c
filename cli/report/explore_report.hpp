#pragma once

#include "analysis/states/diagrams/marking_diagram.hpp"
#include "analysis/states/explore/explore.hpp"
#include "analysis/states/explore/liveness.hpp"
#include "analysis/states/explore/run_lengths.hpp"
#include "cli/shell/exit_code.hpp"
#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpnet::cli {

/// What is known of all reachable markings, or of those that were seen.
struct StateFigures {
    WorkEnd stop = WorkEnd::complete;
    std::optional<MarkingCount> markings = {}, edges = {}, deadlocks = {};  ///< nothing: 2^64 or more
    std::optional<std::uint64_t> depth = {};                                ///< nothing: not known
    std::vector<Tokens> bounds = {};                                        ///< per place
    std::optional<std::uint64_t> most_tokens = {};   ///< in a marking; nothing: more than 2^63
    std::vector<std::uint8_t> fired = {};            ///< per transition
    std::optional<std::uint64_t> packed_bytes = {};  ///< of a marking, of those that were explored one by one
    std::optional<std::uint64_t> diagram_nodes = {};  ///< of the decision diagram, where it was one

    bool known = true;  ///< false: nothing of all this, because of `stop`

    bool complete() const noexcept { return stop == WorkEnd::complete; }
};

StateFigures figures_of(const Exploration& explored);
StateFigures figures_of(const CompiledNet& net, MarkingDiagram& diagram);

/// What `explore` found out beside the figures.
struct ExploreReport {
    Semantics semantics = Semantics::interleaving;
    std::optional<Schedule> to_deadlock = {};  ///< a shortest way to a dead marking, replayed
    std::optional<Marking> dead_marking = {};  ///< where it leads, or some one
    /// A dead marking and a shortest way to it.
    struct DeadMarking {
        Schedule way;
        Marking marking;
    };
    std::vector<DeadMarking> dead_markings = {};  ///< the nearest ones, as many as were asked for
    std::optional<Liveness> liveness = {};
    std::optional<RunLengths> lengths = {};
    /// Where the net has symmetries: how many of its markings were kept for all, and what is symmetric.
    struct Orbits {
        std::uint64_t count;
        std::uint64_t symmetries;
        std::string parts;
    };
    std::optional<Orbits> orbits = {};
    std::optional<WorkEnd> graph_stop = {};  ///< why liveness or the graph that was asked for is missing
    bool all_bounds = false;                 ///< show the bound of each place in the text
};

std::string explore_json(const Net& net, const StateFigures& figures, const ExploreReport& report);
std::string explore_text(const Net& net, const StateFigures& figures, const ExploreReport& report);
ExitCode exit_code_of(const StateFigures& figures, const ExploreReport& report);

}  // namespace warpnet::cli
