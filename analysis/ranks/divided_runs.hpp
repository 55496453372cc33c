#pragma once

#include "engine/run_many.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace warpnet::ranks {

class Collectives;

/// Runs of a net made by several ranks, and what is saved of them.
struct DividedRunOptions {
    /// As for run_many(), of each rank: its threads and its limits, of which the first that is met ends the
    /// runs of all. On rank 0 `finished` counts the runs of all, and `tally` is given them.
    ManyOptions many;
    Collectives* ranks = nullptr;  ///< null: one process

    // Of rank 0 alone.
    /// What the runs are, as JSON: everything that the results depend on besides their numbers.
    std::string experiment = "{}";
    std::string saved = {};  ///< saved runs of the same experiment, which are not made again; empty: none
    std::string saved_name = "saved runs";  ///< what messages call them
    /// Called with all complete runs, about every `interval` and at the end.
    std::function<void(const std::string&)> save = {};
    std::chrono::milliseconds interval = std::chrono::seconds(10);
};

/// Runs number many.run.run, … in the order of their numbers, the same on any number of ranks, as run_many()
/// would return them; on rank 0, the others have none. Throws InputError for saved runs of something else.
/// About 12 bytes per run travel, and are saved; a run is kept in 100 bytes, and its marking and counts if
/// asked for.
std::vector<RunResult> divided_runs(const Executor& executor, const DividedRunOptions& options);

}  // namespace warpnet::ranks
