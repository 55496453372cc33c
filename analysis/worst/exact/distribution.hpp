#pragma once

#include "engine/base/work_limits.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpnet::worst {

struct StepProbability {
    std::uint64_t steps;  ///< timed steps to the dead marking
    double probability;
    bool operator==(const StepProbability&) const = default;
};

struct DistributionOptions {
    /// Longer runs are not followed; their probability is StepDistribution::longer.
    std::uint64_t max_steps = 10'000'000;
    WorkLimits limits = {};
};

/// The distribution of the step count of a run under maximal steps and the random policy. Computed in double
/// precision: a probability is right to about steps x 10^-16 of itself.
struct StepDistribution {
    WorkEnd stop = WorkEnd::complete;    ///< unless it is complete, the other fields mean nothing
    std::vector<StepProbability> steps;  ///< ascending, probabilities above 0
    double endless = 0;                  ///< probability of runs that repeat one marking forever
    double longer = 0;                   ///< of runs that were not followed to their end
    std::uint64_t states = 0;            ///< visited
    std::uint64_t bytes = 0;             ///< at most, about
    bool multisets = false;     ///< states are multisets of equal modules, else pairs of a marking and a time
    std::string not_multisets;  ///< why not
};

}  // namespace warpnet::worst
