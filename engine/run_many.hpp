#pragma once

#include "engine/run/executor.hpp"
#include "engine/run/node_tally.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

namespace warpnet {

/// Long enough that the question takes a small part of the time.
inline constexpr std::uint64_t steps_before_question = 1'000'000;

struct ManyOptions {
    /// `run.run` is the number of the first run. `run.limits.memory` is the approximate number of bytes for
    /// results; no run is started beyond it, except for the first run.
    RunOptions run;
    std::uint64_t runs = 1;
    int threads = 0;             ///< 0: all cores
    bool markings = false;       ///< keep RunResult::marking of every run
    bool plain = false;          ///< use plain_run()
    NodeTally* tally = nullptr;  ///< receives every run; runs are then observed, and slower
    /// Asked by any thread about a run that has made steps_before_question steps, given its options: whether
    /// it certainly never ends. It is then stopped, with RunResult::endless. Observed runs and those of
    /// plain_run() continue. Empty: all runs continue.
    std::function<bool(const RunOptions&)> never_ends = {};
    std::atomic<std::uint64_t>* finished = nullptr;  ///< counts the finished runs, for a progress line
};

/// Makes runs number run.run, run.run+1, … on all cores. The results are in the order of their numbers and do
/// not depend on the number of threads. After an interrupt, a deadline or the memory limit, runs that were
/// not started are missing. Memory follows the runs made, not the runs requested.
std::vector<RunResult> run_many(const Executor& executor, const ManyOptions& options);

/// Whether a time limit or an interrupt ended a run, so that its steps and firings are incomplete.
bool cut_off(const RunResult& result);

/// Steps and firings over runs, summed in the order of the runs.
struct RunStatistics {
    std::uint64_t runs = 0;
    std::uint64_t dead = 0;  ///< runs that reached a dead marking
    std::uint64_t min_steps = 0, max_steps = 0;
    double mean_steps = 0, stddev_steps = 0;  ///< stddev of the sample (n-1); 0 for one run
    double mean_firings = 0;
};

RunStatistics statistics(const std::vector<RunResult>& results);

}  // namespace warpnet
