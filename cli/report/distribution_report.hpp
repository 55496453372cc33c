#pragma once

#include "analysis/studies/predict/extreme_value.hpp"
#include "analysis/worst/exact/step_distribution.hpp"
#include "cli/shell/exit_code.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace warpnet::cli {

/// {net, semantics, policy, exact: true, complete, stop, states, state_kind: multisets|markings,
/// why_not_multisets?, steps: {min, max, mean, stddev}|null, endless, longer, distribution: [{steps,
/// probability}], quantiles: [{probability, steps}]}; the last five are those of a complete computation.
std::string distribution_json(const Net& net, const StepDistribution& distribution);
std::string distribution_text(const Net& net, const StepDistribution& distribution);

/// done if the distribution is complete and every run ends.
ExitCode exit_code_of(const StepDistribution& distribution);

/// {runs, bound: false, upper: <certified, of all runs>|null, quantiles: [{probability, steps}], block,
/// blocks, gumbel, gev: {location, scale, shape, anderson_darling, p}, levels: [{probability, gumbel, gev}]}
/// or, without a fit, why_no_fit.
nlohmann::ordered_json tail_json(const TailEstimate& tail, std::optional<std::uint64_t> bound);
/// `bound`: no run takes more steps, whatever the policy; absent: none is known.
std::string tail_text(const TailEstimate& tail, std::optional<std::uint64_t> bound);

}  // namespace warpnet::cli
