#pragma once

#include "engine/run/executor.hpp"
#include "engine/run/node_tally.hpp"

#include <atomic>
#include <cstdint>
#include <vector>

namespace warpnet {

struct ManyOptions {
    /// `run.run` is the number of the first run. `run.limits.memory`: bytes that results may take, about; no
    /// run is begun after that. The first run is always made.
    RunOptions run;
    std::uint64_t runs = 1;
    int threads = 0;             ///< 0: all cores
    bool markings = false;       ///< keep RunResult::marking of every run
    bool plain = false;          ///< use plain_run()
    NodeTally* tally = nullptr;  ///< is given every run; runs are then observed, and slower
    std::atomic<std::uint64_t>* finished =
        nullptr;  ///< counts up with every finished run, for a progress line
};

/// Runs number run.run, run.run+1, … over all cores; results in the order of their numbers, the same on any
/// number of threads. After an interrupt, a deadline or the limit of memory, runs that were never begun are
/// left out. Memory follows the runs made, not those asked for.
std::vector<RunResult> run_many(const Executor& executor, const ManyOptions& options);

/// Whether the clock or the user ended a run: its steps and firings then mean less than they seem to.
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
