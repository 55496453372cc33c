#pragma once

#include "engine/run/executor.hpp"

namespace warpnet {

struct PivotNet;

/// The executor of pivots, for maximal steps, no stop condition and a policy that does not depend on what
/// fired before. Cost of a firing: its arcs, the conditions on the places that it empties or marks of
/// transitions whose pivot is marked, and a draw; of a step: the classes that hubs can serve.
std::unique_ptr<RunInProgress> begin_pivot_run(const CompiledNet& net, const PivotNet& pivots,
                                               const RunOptions& options, Observer* observer);

}  // namespace warpnet
