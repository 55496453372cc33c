#pragma once

#include "analysis/states/properties/goals.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/compile/compiled_net.hpp"

#include <cstdint>
#include <vector>

namespace warpnet {

struct DecisionDiagramOptions {
    bool schedules = true;                      ///< look for shortest ways to what was found
    std::uint64_t schedule_effort = 2'000'000;  ///< looks at nodes for each of them
    WorkLimits limits = {};                     ///< effort: looks at nodes, for all reachable markings
};

/// What became of an attempt.
struct DecisionDiagramOutcome {
    WorkEnd stop = WorkEnd::complete;
    std::uint64_t markings = 0;  ///< that are reachable; 2^64-1: so many or more
};

/// Decides every goal and every question that is still open from a decision diagram of all reachable markings
/// ([../diagrams](../diagrams/README.md)), under interleaving. Where the stop is not `complete`, some may
/// have been decided.
DecisionDiagramOutcome try_decision_diagrams(const CompiledNet& compiled,
                                             const DecisionDiagramOptions& options, Goals& goals,
                                             std::vector<PathQuestion>& paths);

}  // namespace warpnet
