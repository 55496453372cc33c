#pragma once

#include "analysis/explore/explore.hpp"
#include "analysis/explore/liveness.hpp"
#include "analysis/explore/run_lengths.hpp"
#include "cli/shell/exit_code.hpp"
#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <optional>
#include <string>

namespace warpnet::cli {

/// What `explore` found out.
struct ExploreReport {
    Semantics semantics = Semantics::interleaving;
    std::optional<Schedule> to_deadlock = {};  ///< a shortest way to a dead marking, replayed
    std::optional<Marking> dead_marking = {};
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

std::string explore_json(const Net& net, const Exploration& explored, const ExploreReport& report);
std::string explore_text(const Net& net, const Exploration& explored, const ExploreReport& report);
ExitCode exit_code_of(const Exploration& explored, const ExploreReport& report);

}  // namespace warpnet::cli
