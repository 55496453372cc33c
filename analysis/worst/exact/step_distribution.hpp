#pragma once

#include "analysis/worst/exact/distribution.hpp"
#include "engine/plan.hpp"

#include <cstdint>
#include <span>

namespace warpnet::worst {

/// Forward over states: multisets of equal modules if the net has that shape and no module can return to a
/// state (a state has the probabilities of all times at which it is reached); otherwise markings, time by
/// time. On the threads of the caller's arena; the result does not depend on their number, to the last bit.
StepDistribution step_distribution(const Plan& planned, const DistributionOptions& options = {});

double mean_steps(std::span<const StepProbability> steps);
double standard_deviation(std::span<const StepProbability> steps);

/// The least step count that a run does not exceed with at least this probability; the largest if rounding
/// leaves less than it. REQUIRES at least one.
std::uint64_t quantile(std::span<const StepProbability> steps, double probability);

}  // namespace warpnet::worst
