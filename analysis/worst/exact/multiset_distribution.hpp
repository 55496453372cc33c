#pragma once

#include "analysis/worst/exact/distribution.hpp"
#include "analysis/worst/exact/multiset_net.hpp"

#include <optional>

namespace warpnet::worst {

/// step_distribution() over multiset states, layer by layer of the remaining own steps of the modules.
/// Nothing if a hub loop can keep all modules waiting, so that a state follows itself. REQUIRES local states
/// with probabilities, and their order.
std::optional<StepDistribution> multiset_distribution(const MultisetNet& net,
                                                      const DistributionOptions& options);

}  // namespace warpnet::worst
