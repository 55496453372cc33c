#pragma once

#include "analysis/studies/predict/extreme_value.hpp"
#include "cli/report/executor_choice.hpp"
#include "cli/shell/exit_code.hpp"
#include "engine/net/net.hpp"
#include "engine/run/node_tally.hpp"
#include "engine/run/run.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::cli {

/// The policy of a run that followed a schedule. It ends with the schedule, if not in a dead marking.
inline constexpr std::string_view replay_policy = "replay";

/// What `warpnet run` found, and what of it is to be printed.
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
    const NodeTally* statistics = nullptr;  ///< of places and transitions, where asked for
    std::vector<std::uint32_t> hubs = {};   ///< beside the statistics: places where the parts of the net meet
    std::optional<TailEstimate> tail = {};  ///< of the runs that ended, where asked for
    std::optional<std::uint64_t> bound = {};  ///< beside the tail: certified, of all runs
    bool all = false;                         ///< list every result; else the first 1000
};

/// The JSON object of CLI.md. Beside its fields: `executor`, and `why_not_modules` where it is another;
/// `reasons` (runs by StopReason, or schedule_end); `interrupted`, `requested`
/// and `results_left_out` where they say something; `until` {condition, met, steps}; `statistics` {places,
/// transitions, hubs}; `tail` (tail_json()). Steps and firings are those of the runs that were not cut
/// off by the clock or the user, or of all where none was complete.
std::string run_json(const RunReport& report);

std::string run_text(const RunReport& report);

/// The reports of the same net under several semantics: columns of a table, or {"net", "semantics": {NAME:
/// run_json()}}.
std::string semantics_text(std::span<const RunReport> reports);
std::string semantics_json(std::span<const RunReport> reports);

/// done if every run that was asked for reached a dead marking, met the condition or followed its schedule.
ExitCode exit_code_of(const RunReport& report);

}  // namespace warpnet::cli
