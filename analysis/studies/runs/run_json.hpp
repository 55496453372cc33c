#pragma once

#include "analysis/studies/runs/run_study.hpp"

#include <span>

#include <nlohmann/json_fwd.hpp>

namespace warpnet::studies {

/// The object of `run --json`. Other fields: `executor`, and `why_not_modules` if it is a different one;
/// `reasons` (runs by StopReason, or schedule_end); `interrupted`, `requested` and `results_left_out` if they
/// apply; `until` {condition, met, steps}; `statistics` {places, transitions, hubs}; `tail`
/// (distribution_json.hpp). Steps and firings are those of the runs that the clock or the user did not cut
/// off, or of all if none was complete. `all`: every result; otherwise the first 1000.
nlohmann::ordered_json to_json(const RunReport& report, bool all = false);

/// The reports of the same net under several semantics: {"net", "semantics": {NAME: to_json()}}.
nlohmann::ordered_json to_json(std::span<const RunReport> reports, bool all = false);

/// {"min","max","mean","stddev"} of the steps of runs.
nlohmann::ordered_json steps_json(const RunStatistics& statistics);

}  // namespace warpnet::studies
