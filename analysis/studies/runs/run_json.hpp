#pragma once

#include "analysis/studies/predict/extreme_value.hpp"
#include "analysis/studies/runs/run_study.hpp"
#include "analysis/worst/exact/step_distribution.hpp"
#include "analysis/worst/worst_case.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <optional>
#include <span>

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

/// The object of `run --json`. Other fields: `executor`, and `why_not_modules` if it is a different one;
/// `reasons` (runs by StopReason, or schedule_end); `interrupted`, `requested` and `results_left_out` if they
/// apply; `until` {condition, met, steps}; `statistics` {places, transitions, hubs}; `tail`
/// (below). Steps and firings are those of the runs that the clock or the user did not cut
/// off, or of all if none was complete. `all`: every result; otherwise the first 1000.
nlohmann::ordered_json to_json(const RunReport& report, bool all = false);

/// The reports of the same net under several semantics: {"net", "semantics": {NAME: to_json()}}.
nlohmann::ordered_json to_json(std::span<const RunReport> reports, bool all = false);

/// {"min","max","mean","stddev"} of the steps of runs.
nlohmann::ordered_json steps_json(const RunStatistics& statistics);

}  // namespace warpnet::studies
