#pragma once

#include "analysis/properties/goals.hpp"
#include "analysis/properties/solve.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/condition/formula.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace warpnet {

struct DecisionDiagramOptions {
    bool schedules = true;                      ///< look for shortest ways to what was found
    std::uint64_t schedule_effort = 2'000'000;  ///< looks at nodes for each of them
    WorkLimits limits = {};                     ///< effort: looks at nodes, for all reachable markings
};

/// A formula about paths, and whether it holds in the initial marking.
struct PathQuestion {
    std::size_t property;  ///< that it was made of
    Formula formula;
    std::optional<std::uint32_t> transition = {};  ///< whether it is live
    std::optional<bool> holds = {};
};

/// What is open of formulas (`formulas`: as they are posed, one a property) and of live transitions.
std::vector<PathQuestion> open_paths(const std::vector<Property>& properties,
                                     const std::vector<PropertyAnswer>& answers,
                                     const std::function<const Formula&(std::size_t)>& formula);
/// Enters the answers.
void answer_paths(const std::vector<PathQuestion>& questions, std::vector<PropertyAnswer>& answers);

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
