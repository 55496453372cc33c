#pragma once

#include "engine/run.hpp"

namespace warpnet {

/// Whether run() leaves a net to the component executor under these options: maximal steps, a net that
/// compile() found components in, a policy of which the past does not matter, no count of a hub near
/// overflow.
bool runs_by_components(const CompiledNet& net, const RunOptions& options);

/// The component executor; needs runs_by_components(). Cost: about one constant per interaction of a
/// component with the hubs, whatever the number of steps between them.
RunResult component_run(const CompiledNet& net, const RunOptions& options, Observer* observer);

}  // namespace warpnet
