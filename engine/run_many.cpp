// Makes many runs on all cores. Each run has its own random stream, and statistics are summed in the order of
// the runs, so the results do not depend on the number of threads. Runs are started in shares of growing
// size, so that memory follows the runs made, and a limit is noticed soon.
//
// Memory is that of the results, which the limit bounds. The marking and the counts of firings of a run are
// kept only on request. Mean and deviation are updated run by run (Welford), because sums of squares lose
// digits if the deviation is small. A run that a limit prevents is left out, also between two others. Results
// stay in the order of the runs.

#include "engine/run_many.hpp"

#include "engine/base/with_threads.hpp"
#include "engine/executors/plain/run.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

namespace warpnet {

namespace {

RunResult run_one(const Executor& executor, const RunOptions& options, const ManyOptions& many,
                  Observer* observer) {
    if (many.plain) return plain_run(executor.net(), options, observer);
    if (!many.never_ends || observer != nullptr || options.max_steps <= steps_before_question)
        return run(executor, options, observer);
    const std::unique_ptr<RunInProgress> execution = executor.begin(options, nullptr);
    const bool continues = execution->advance(steps_before_question) == StopReason::step_limit;
    const bool stops = continues && !execution->endless() && many.never_ends(options);
    if (continues && !stops) execution->advance(options.max_steps);
    RunResult result = execution->finish();
    result.endless |= stops;
    return result;
}

constexpr std::uint64_t first_share = 1024, most_in_share = std::uint64_t{1} << 20;  // runs

std::uint64_t bytes_of(const RunResult& result) {
    return sizeof(RunResult) + result.marking.capacity() * sizeof(Tokens) +
           result.counts.capacity() * sizeof(std::uint64_t);
}

/// Reserves space for the results, because copying them while the vector grows would take three times their
/// memory. Reserved memory that is never written costs nothing.
void make_room(std::vector<RunResult>& results, std::uint64_t count) {
    if (results.capacity() >= count) return;
    try {
        results.reserve(count);
    } catch (const std::bad_alloc&) {
        // The memory may still suffice for the runs that are made.
    }
}

}  // namespace

std::vector<RunResult> run_many(const Executor& executor, const ManyOptions& options) {
    tbb::enumerable_thread_specific<NodeTally> tallies([&] { return NodeTally(executor.net()); });
    const auto stopped = [&] { return options.run.limits.must_end(); };
    const auto execute = [&](std::uint64_t i) {
        RunOptions run_options = options.run;
        run_options.run += i;
        RunResult result;
        if (options.tally == nullptr) {
            result = run_one(executor, run_options, options, nullptr);
        } else {
            RunTally run_tally(executor.net(), tallies.local());
            result = run_one(executor, run_options, options, &run_tally);
            run_tally.finish();
        }
        if (!options.markings) result.marking = Marking();  // an assignment of {} would keep the memory
        if (options.finished != nullptr) options.finished->fetch_add(1, std::memory_order_relaxed);
        return result;
    };
    std::vector<RunResult> results;
    // Runs are started in shares, so that memory follows the runs made. A share is long enough to keep all
    // threads busy.
    for (std::uint64_t first = 0, share = first_share; first < options.runs; first += share, share *= 2) {
        share = std::min({share, most_in_share, options.runs - first});
        if (first > 0) {
            const std::uint64_t most = options.run.limits.memory / bytes_of(results.front());
            if (stopped() || first >= most) break;
            share = std::min(share, most - first);
            make_room(results, std::min(options.runs, most));
        }
        std::vector<std::uint8_t> begun(share, 0);
        results.resize(first + share);
        with_threads(options.threads, [&] {
            using Range = tbb::blocked_range<std::uint64_t>;
            tbb::parallel_for(Range(0, share), [&](const Range& range) {
                for (std::uint64_t i = range.begin(); i != range.end(); ++i) {
                    if (first + i > 0 && stopped()) continue;
                    begun[i] = 1;
                    results[first + i] = execute(first + i);
                }
            });
        });
        std::size_t kept = first;
        for (std::size_t i = 0; i < share; ++i) {
            if (begun[i] == 0) continue;
            if (kept != first + i) results[kept] = std::move(results[first + i]);
            ++kept;
        }
        results.resize(kept);
        if (kept < first + share) break;
    }
    for (const NodeTally& tally : tallies) options.tally->merge(tally);
    return results;
}

bool cut_off(const RunResult& result) {
    return result.reason == StopReason::interrupted || result.reason == StopReason::time_limit;
}

RunStatistics statistics(const std::vector<RunResult>& results) {
    RunStatistics statistics;
    double squares = 0;  // sum of squared deviations from the mean so far (Welford)
    for (const RunResult& result : results) {
        const auto steps = static_cast<double>(result.steps);
        ++statistics.runs;
        if (result.reason == StopReason::dead) ++statistics.dead;
        statistics.min_steps =
            statistics.runs == 1 ? result.steps : std::min(statistics.min_steps, result.steps);
        statistics.max_steps = std::max(statistics.max_steps, result.steps);
        const auto n = static_cast<double>(statistics.runs);
        const double deviation = steps - statistics.mean_steps;
        statistics.mean_steps += deviation / n;
        squares += deviation * (steps - statistics.mean_steps);
        statistics.mean_firings += (static_cast<double>(result.firings) - statistics.mean_firings) / n;
    }
    if (statistics.runs > 1)
        statistics.stddev_steps = std::sqrt(squares / static_cast<double>(statistics.runs - 1));
    return statistics;
}

}  // namespace warpnet
