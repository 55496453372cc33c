#pragma once

#include "engine/run/executor.hpp"

namespace warpnet {

struct PivotNet;

/// The pivot executor, for maximal steps, no stop condition and a policy that does not depend on earlier
/// firings. A firing costs its arcs, a draw, and the conditions on the places that it empties or marks; only
/// conditions of active transitions count. A step costs the classes that hubs can serve.
std::unique_ptr<RunInProgress> begin_pivot_run(const CompiledNet& net, const PivotNet& pivots,
                                               const RunOptions& options, Observer* observer);

}  // namespace warpnet
