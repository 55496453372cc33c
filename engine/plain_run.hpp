#pragma once

#include "engine/run.hpp"

namespace warpnet {

/// The reference executor: looks at every transition in every step and reads like the definition. The slow
/// twin of run(), O(transitions) a step.
RunResult plain_run(const CompiledNet& net, const RunOptions& options = {}, Observer* observer = nullptr);

}  // namespace warpnet
