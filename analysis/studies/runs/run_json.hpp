#pragma once

#include "analysis/studies/predict/extreme_value.hpp"
#include "analysis/worst/worst_case.hpp"
#include "engine/net/net.hpp"
#include "engine/plan.hpp"
#include "engine/run/node_tally.hpp"
#include "engine/run_many.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace warpnet {

/// The executor that makes the runs of a net.
struct ExecutorChoice {
    std::string name;    ///< of an ExecutorKind, reference (`--plain`, replayed schedules), or none
    std::string reason;  ///< why it is not that of modules, or why there is none
};

ExecutorChoice executor_choice(const Plan& plan, const RunOptions& options = {});

/// "general, not modules: a module tests a hub"
std::string to_text(const ExecutorChoice& choice);

/// The policy of a run that followed a schedule. It ends with the schedule, if not in a dead marking.
inline constexpr std::string_view replay_policy = "replay";

/// The results of `warpnet run`, and the options for printing them.
struct RunReport {
    const Net& net;
    Semantics semantics = Semantics::maximal;
    std::string policy;
    ExecutorChoice executor;
    std::uint64_t seed = 1;
    std::uint64_t requested = 1;  ///< runs
    std::vector<RunResult> results;
    bool interrupted = false;
    bool markings = false;
    bool counts = false;
    std::string until;                      ///< the condition that ended runs; empty: none
    const NodeTally* statistics = nullptr;  ///< of places and transitions, if requested
    std::vector<std::uint32_t> hubs = {};   ///< with the statistics: places in which modules meet
    std::optional<TailEstimate> tail = {};  ///< of the runs that ended, if requested
    std::optional<QuickBound> bound = {};   ///< with the tail: certified, of all runs
    bool all = false;                       ///< list every result; else the first 1000

    /// The runs that neither the clock nor the user cut off, or all if none was complete.
    RunStatistics complete_runs() const;
    std::map<StopReason, std::uint64_t> reasons() const;  ///< how many runs ended for each
    std::vector<RunResult> met() const;                   ///< the runs that met the condition
    /// Whether a run that ended for this reason followed a schedule to its end, which is no limit.
    bool followed_schedule(StopReason reason) const;
};

/// The object of `run --json`. Other fields: `executor`, and `why_not_modules` if it is a different one;
/// `reasons` (runs by StopReason, or schedule_end); `interrupted`, `requested` and `results_left_out` if they
/// apply; `until` {condition, met, steps}; `statistics` {places, transitions, hubs}; `tail`
/// (distribution_json.hpp). Steps and firings are those of the runs that the clock or the user did not cut
/// off, or of all if none was complete.
nlohmann::ordered_json to_json(const RunReport& report);

/// The reports of the same net under several semantics: {"net", "semantics": {NAME: to_json()}}.
nlohmann::ordered_json to_json(std::span<const RunReport> reports);

}  // namespace warpnet
