#pragma once

#include "analysis/worst/exact/distribution.hpp"
#include "engine/plan.hpp"

#include <cstdint>
#include <span>

namespace warpnet {

/// Forward over states: multisets of equal modules where the net has that shape and no module can come
/// back to a state (a state has the probabilities of all times at which it is reached); else markings, time
/// by time. On the threads of the caller's arena; the result is the same, to the last bit, whatever their
/// number.
StepDistribution step_distribution(const Plan& planned, const DistributionOptions& options = {});

double mean_steps(std::span<const StepProbability> steps);
double standard_deviation(std::span<const StepProbability> steps);

/// The least step count that a run does not exceed with at least this probability; the largest where rounding
/// leaves less than it. Needs at least one.
std::uint64_t quantile(std::span<const StepProbability> steps, double probability);

}  // namespace warpnet
