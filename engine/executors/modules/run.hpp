#pragma once

#include "engine/run/executor.hpp"

namespace warpnet {

struct ModuleNet;

/// The module executor, for maximal steps, no stop condition and a policy that does not depend on earlier
/// firings. It costs about a constant per interaction of a module with the hubs, whatever the number of steps
/// between them.
std::unique_ptr<RunInProgress> begin_module_run(const CompiledNet& net, const ModuleNet& modules,
                                                const RunOptions& options, Observer* observer);

}  // namespace warpnet
