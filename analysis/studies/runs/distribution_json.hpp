#pragma once

#include "analysis/studies/predict/extreme_value.hpp"
#include "analysis/worst/exact/step_distribution.hpp"
#include "analysis/worst/worst_case.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <optional>

#include <nlohmann/json_fwd.hpp>

namespace warpnet::studies {

/// The listed quantiles of an exact distribution.
inline constexpr double shown_quantiles[] = {0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999, 0.999999999};

/// {net, semantics, policy, exact: true, complete, stop, states, state_kind: multisets|markings,
/// why_not_multisets?, steps: {min, max, mean, stddev}|null, endless, longer, distribution: [{steps,
/// probability}], quantiles: [{probability, steps}]}; the last five are those of a complete computation.
nlohmann::ordered_json to_json(const Net& net, const worst::StepDistribution& distribution);
/// {runs, bound: false, upper: <certified, of all runs>|null, machine?: of `upper`, quantiles: [{probability,
/// steps}], block, blocks, gumbel, gev: {location, scale, shape, anderson_darling, p}, levels: [{probability,
/// gumbel, gev}]} or, without a fit, why_no_fit.
nlohmann::ordered_json to_json(const TailEstimate& tail, const std::optional<worst::QuickBound>& bound);

}  // namespace warpnet::studies
