#pragma once

#include "analysis/worst/exact/distribution.hpp"
#include "engine/compile/compiled_net.hpp"

namespace warpnet {

/// step_distribution() over markings, time by time, for any net. One thread; O(markings x steps of a marking)
/// for each time.
StepDistribution marking_distribution(const CompiledNet& net, const DistributionOptions& options);

}  // namespace warpnet
