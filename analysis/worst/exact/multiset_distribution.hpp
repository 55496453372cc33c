#pragma once

#include "analysis/worst/exact/distribution.hpp"
#include "analysis/worst/exact/multiset_net.hpp"

#include <optional>

namespace warpnet {

/// step_distribution() over multiset states, layer by layer of the modules' own steps that are left.
/// Nothing where a hub loop can keep all modules waiting, so that a state follows itself. Needs a net made of
/// local states with probabilities, and its order.
std::optional<StepDistribution> multiset_distribution(const MultisetNet& net,
                                                      const DistributionOptions& options);

}  // namespace warpnet
