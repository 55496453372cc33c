#pragma once

#include "engine/run/replay.hpp"
#include "engine/run/run.hpp"

namespace warpnet {

/// The reference executor: looks at every transition in every step and reads like the definition. The slow
/// twin of run(), O(transitions) a step.
RunResult plain_run(const CompiledNet& net, const RunOptions& options = {}, Observer* observer = nullptr);

class ConflictOrder;

/// The step that a policy chooses in a marking: an immediate one while any immediate transition can fire,
/// else a timed one; its transitions ascending, empty if nothing can fire. O(transitions). Fewer firings than
/// a step has where the limits say that the work must end.
ScheduledStep plain_step(const CompiledNet& net, const Marking& marking, Semantics semantics,
                         ConflictOrder& order, const WorkLimits& limits = {});

}  // namespace warpnet
