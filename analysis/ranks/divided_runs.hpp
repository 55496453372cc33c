#pragma once

#include "analysis/ranks/task_farm.hpp"
#include "engine/run_many.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace warpnet {

/// Runs of a net made by a team, and what is saved of them.
struct TeamRunOptions {
    /// As for run_many(), on each rank by itself: `threads`, `run.limits.interrupt`, `finished`; on rank 0
    /// `finished` counts the runs of all, `tally` is given the runs of all, and `run.limits.deadline` is
    /// looked at.
    ManyOptions many;
    /// What the runs are, as JSON: everything that the results depend on beside their numbers.
    std::string experiment = "{}";
    std::string saved = {};  ///< saved runs of the same experiment, which are not made again; empty: none
    std::string saved_name = "saved runs";  ///< what messages call them
    /// Called on rank 0 with all complete runs, about every `interval` and at the end.
    std::function<void(const std::string&)> save = {};
    std::chrono::milliseconds interval = std::chrono::seconds(10);
};

/// Rank 0: runs number many.run.run, … in the order of their numbers, the same for a team of any size, as
/// run_many() would return them. Throws InputError for saved runs of something else. About 12 bytes a run
/// travel, and are saved; a run is kept in 100 bytes, and its marking and counts if asked for.
std::vector<RunResult> lead_runs(Team& team, const Executor& executor, const TeamRunOptions& options);

/// All other ranks, with equal options: makes runs until rank 0 leaves.
void follow_runs(Team& team, const Executor& executor, const TeamRunOptions& options);

}  // namespace warpnet
