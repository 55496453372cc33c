#pragma once

#include "engine/run/execution.hpp"

namespace warpnet {

/// The component executor; needs why_not_components() to be empty. Cost: about one constant per interaction
/// of a component with the hubs, whatever the number of steps between them.
std::unique_ptr<Execution> begin_component_run(const CompiledNet& net, const RunOptions& options,
                                               Observer* observer);

}  // namespace warpnet
