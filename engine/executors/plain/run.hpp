#pragma once

#include "engine/run/replay.hpp"
#include "engine/run/run.hpp"

namespace warpnet {

/// The reference executor. It examines every transition in every step and reads like the definition of a
/// step. It is slow, O(transitions) per step, and judges the other executors.
RunResult plain_run(const CompiledNet& net, const RunOptions& options = {}, Observer* observer = nullptr);

class ConflictOrder;

/// The step that a policy chooses in a marking, with its transitions ascending. It is immediate if any
/// immediate transition can fire, and timed otherwise. Empty if no transition can fire. O(transitions). The
/// step lacks firings if the limits end the work.
ScheduledStep plain_step(const CompiledNet& net, const Marking& marking, Semantics semantics,
                         ConflictOrder& order, const WorkLimits& limits = {});

}  // namespace warpnet
