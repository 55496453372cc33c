#pragma once

#include "engine/base/work_limits.hpp"
#include "engine/compile/compiled_net.hpp"

#include <cstdint>
#include <vector>

namespace warpnet::states {

/// Per transition whether it is in a feedback set: every cycle of the state graph under interleaving fires
/// one of these. The set is small but not minimal. Limits: at them, more transitions are in the set.
///
/// The rest strictly increases weighted sums of tokens, in the order of the sums, and so fires no cycle.
/// A linear program proposes the weights, whole numbers check them. About as long as a linear program with a
/// row for each node.
std::vector<bool> feedback_transitions(const CompiledNet& net, const WorkLimits& limits = {});

}  // namespace warpnet::states
