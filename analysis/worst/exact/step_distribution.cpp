// The exact distribution of the number of steps, over multisets of modules or over markings. Multisets are
// tried first, because their number does not depend on delays. Markings are used for nets without modules,
// with modules that can return to a state, with too many codes, or with a loop that can keep all modules
// waiting. The result gives the reason. Cost: that of multiset_distribution.cpp or marking_distribution.cpp.

#include "analysis/worst/exact/step_distribution.hpp"

#include "analysis/worst/exact/local_states.hpp"
#include "analysis/worst/exact/marking_distribution.hpp"
#include "analysis/worst/exact/multiset_distribution.hpp"
#include "analysis/worst/exact/multiset_net.hpp"

#include <cmath>

namespace warpnet::worst {

namespace {

/// The approximate error of sums of probabilities.
constexpr double rounding = 1e-12;

}  // namespace

StepDistribution step_distribution(const Plan& planned, const DistributionOptions& options) {
    const LocalStates states = local_states(planned, true, options.limits);
    std::string reason = states.reason;
    if (states.stop == WorkEnd::complete) {
        const MultisetNet multisets = multiset_net(planned, states);
        if (!states.acyclic()) {
            reason = "a module can come back to a state";
        } else if (multisets.positions.empty()) {
            reason = "the modules have too many states";
        } else if (auto result = multiset_distribution(multisets, options)) {
            return std::move(*result);
        } else {
            reason = "a hub loop can keep all modules waiting";
        }
    } else if (states.stop != WorkEnd::not_applicable) {
        StepDistribution result;
        result.stop = states.stop;
        return result;
    }
    StepDistribution result = marking_distribution(planned.net(), options);
    result.not_multisets = std::move(reason);
    return result;
}

double mean_steps(std::span<const StepProbability> steps) {
    double sum = 0, all = 0;
    for (const auto [count, probability] : steps) {
        sum += static_cast<double>(count) * probability;
        all += probability;
    }
    return sum / all;
}

double standard_deviation(std::span<const StepProbability> steps) {
    const double mean = mean_steps(steps);
    double sum = 0, all = 0;
    for (const auto [count, probability] : steps) {
        const double away = static_cast<double>(count) - mean;
        sum += away * away * probability;
        all += probability;
    }
    return std::sqrt(sum / all);
}

std::uint64_t quantile(std::span<const StepProbability> steps, double probability) {
    double sum = 0;
    for (const auto& step : steps) {
        sum += step.probability;
        if (sum >= probability - rounding) return step.steps;
    }
    return steps.back().steps;
}

}  // namespace warpnet::worst
