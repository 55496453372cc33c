#pragma once

#include "engine/base/work_limits.hpp"
#include "engine/plan.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace warpnet {

struct StepProbability {
    std::uint64_t steps;  ///< timed steps to the dead marking
    double probability;
    bool operator==(const StepProbability&) const = default;
};

struct DistributionOptions {
    /// Runs that are longer are not followed; their probability is StepDistribution::longer.
    std::uint64_t max_steps = 10'000'000;
    WorkLimits limits = {};
};

/// The distribution of the step count of a run under maximal steps and the random policy. Computed in double
/// precision: a probability is right to about steps x 10^-16 of itself.
struct StepDistribution {
    WorkEnd stop = WorkEnd::complete;    ///< unless it is complete, the rest says nothing
    std::vector<StepProbability> steps;  ///< ascending, probabilities above 0
    double endless = 0;                  ///< probability of runs that repeat one marking for ever
    double longer = 0;                   ///< of those that were not followed to their end
    std::uint64_t states = 0;            ///< visited
    std::uint64_t bytes = 0;             ///< at most, about
    bool multisets = false;     ///< states are multisets of equal modules, else pairs of a marking and a time
    std::string not_multisets;  ///< why not
};

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
