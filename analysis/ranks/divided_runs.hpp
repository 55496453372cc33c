#pragma once

#include "engine/run_many.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace warpnet::ranks {

class Collectives;

/// Runs of a net made by several ranks, and the options for saving them.
struct DividedRunOptions {
    /// As for run_many(), per rank: its threads and its limits. The first limit that is met ends the runs of
    /// all ranks. On rank 0, `finished` counts the runs of all ranks, and `tally` receives them.
    ManyOptions many;
    Collectives* ranks = nullptr;  ///< null: one process

    // Of rank 0 alone.
    /// The experiment, as JSON: everything that the results depend on besides the numbers of the runs.
    std::string experiment = "{}";
    std::string saved = {};  ///< saved runs of the same experiment, which are not made again; empty: none
    std::string saved_name = "saved runs";  ///< their name in messages
    /// Called with all complete runs, about every `interval` and at the end.
    std::function<void(const std::string&)> save = {};
    std::chrono::milliseconds interval = std::chrono::seconds(10);
};

/// Runs number many.run.run, … in the order of their numbers, the same on any number of ranks, as run_many()
/// would return them. Rank 0 has them, the remaining ranks none. Throws InputError for saved runs of another
/// experiment. About 12 bytes per run are sent and saved. A run takes 100 bytes of memory, and its marking
/// and counts if they are wanted.
std::vector<RunResult> divided_runs(const Executor& executor, const DividedRunOptions& options);

}  // namespace warpnet::ranks
