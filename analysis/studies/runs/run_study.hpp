#pragma once

#include "analysis/ranks/divided_runs.hpp"
#include "analysis/states/steps/only_run.hpp"
#include "analysis/studies/predict/extreme_value.hpp"
#include "analysis/worst/exact/step_distribution.hpp"
#include "analysis/worst/worst_case.hpp"
#include "engine/base/progress_hook.hpp"
#include "engine/net/net.hpp"
#include "engine/plan.hpp"
#include "engine/run/node_tally.hpp"
#include "engine/run/replay.hpp"
#include "engine/run_many.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::studies {

/// The executor that makes the runs of a net.
struct ExecutorChoice {
    std::string name;    ///< of an ExecutorKind, reference (`--plain`, replayed schedules), or none
    std::string reason;  ///< why it is not that of modules, or why there is none
};

ExecutorChoice executor_choice(const Plan& plan, const RunOptions& options = {});

/// "general; not modules, because a module tests a shared place"
std::string to_text(const ExecutorChoice& choice);

inline constexpr std::array each_semantics = {Semantics::maximal, Semantics::multiset,
                                              Semantics::interleaving};

/// The policy of a run that followed a schedule. It ends with the schedule, if not in a dead marking.
inline constexpr std::string_view replay_policy = "replay";

/// The runs of a net to make, and the results that are wanted.
struct RunStudyOptions {
    /// `until`, `served` and `tally` are set by run_study().
    ranks::DividedRunOptions runs = {};
    std::string until = {};        ///< a condition that ends runs (parse_condition()); empty: none
    bool statistics = false;       ///< of places and transitions
    bool tail = false;             ///< an estimate of the longest runs, besides the certified bound
    Observer* observer = nullptr;  ///< of the only run, which is neither divided nor saved then
    /// Stop a long run in which a marking comes back forever before the step limit.
    bool stop_endless = false;
    /// Called when the runs begin, as WorstCaseOptions::progress is.
    ProgressHook progress = {};
};

/// A run in which a marking comes back.
struct RepeatingRun {
    std::uint64_t run = 0;
    states::RepeatedMarking marking = {};
};

/// The runs of a net.
struct RunReport {
    const Net& net;
    Semantics semantics = Semantics::maximal;
    std::string policy;
    bool policy_decides = true;  ///< false: no parts_to_order(), and these are runs of the policy random
    ExecutorChoice executor;
    std::uint64_t seed = 1;
    std::uint64_t requested = 1;  ///< runs
    std::vector<RunResult> results;
    bool interrupted = false;
    bool markings = false;
    bool counts = false;
    std::string until;                            ///< the condition that ended runs; empty: none
    std::optional<NodeTally> statistics = {};     ///< of places and transitions, if requested
    std::vector<std::uint32_t> hubs = {};         ///< with the statistics: places in which modules meet
    std::optional<RepeatingRun> repeats = {};     ///< of the runs that reached no end
    std::uint64_t stopped_endless = 0;            ///< runs by RunStudyOptions::stop_endless
    std::optional<TailEstimate> tail = {};        ///< of the runs that ended, if requested
    std::optional<worst::QuickBound> bound = {};  ///< with the tail: certified, of all runs

    /// The runs that neither the clock nor the user cut off, or all if none was complete.
    RunStatistics complete_runs() const;
    std::map<StopReason, std::uint64_t> reasons() const;  ///< how many runs ended for each
    std::vector<RunResult> met() const;                   ///< the runs that met the condition
    /// Whether a run that ended for this reason followed a schedule to its end, which is no limit.
    bool followed_schedule(StopReason reason) const;
};

/// Makes the runs by the executor that suits them, on all cores and ranks. The net must outlive the report.
/// On ranks other than the first there are no results. Throws InputError for a condition that does not belong
/// to the net, a policy that orders parts of a net in which none are found, and saved runs of something else.
RunReport run_study(const Net& net, const RunStudyOptions& options);

/// The same runs under each semantics in turn. The limits apply to all of them together.
std::vector<RunReport> semantics_study(const Net& net, RunStudyOptions options);

/// step_distribution() of a net on this number of threads (0: all cores).
worst::StepDistribution distribution_study(const Net& net, const worst::DistributionOptions& options,
                                           int threads);

/// The one run that follows a schedule. Throws ReplayError if it is no run of the net.
RunReport replay_study(const Net& net, const Schedule& schedule, const RunStudyOptions& options);

}  // namespace warpnet::studies
