#pragma once

#include "analysis/kernel/annealing.hpp"
#include "analysis/kernel/schedule.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace warpnet {

/// A search: several chains of which the best counts, independent of each other but for the exchanges of
/// AnnealingMethod::tempering. The same options give the same answer on any number of threads and ranks.
struct AnnealingSearchOptions {
    AnnealingOptions annealing = {};
    std::uint32_t chains = 8;
    /// Where chains begin; absent: the four starts in turn, as in the paper, so that 8 chains have two each.
    std::optional<Start> start = {};
    /// A makespan that is good enough, such as a certified bound: the search ends when a chain reaches it.
    /// Not for AnnealingMethod::tempering.
    std::optional<int> target = {};
    bool operator==(const AnnealingSearchOptions&) const = default;
};

/// Why a search ended.
enum class AnnealingStop : std::uint8_t {
    complete,        ///< every chain made all its iterations
    target_reached,  ///< AnnealingSearchOptions::target
    time_limit,      ///< AnnealingLimits::deadline passed: another run may find another value
    interrupted,     ///< AnnealingLimits::interrupt was set
};

std::string_view to_string(AnnealingStop stop);

/// A search between two of its iterations, as a value: what a checkpoint holds. The chains need not have
/// advanced equally far.
struct AnnealingState {
    KernelInstance instance;
    AnnealingSearchOptions options;
    std::vector<Chain> chains;
    std::uint64_t exchanges = 0;  ///< rounds of exchanges made (tempering)
    double seconds = 0;           ///< spent so far, wall clock
};

struct AnnealingLimits {
    const std::atomic<bool>* interrupt = nullptr;
    std::optional<std::chrono::steady_clock::time_point> deadline = {};
    /// Called now and then, one call at a time, from any thread, with a state from which the search can go
    /// on: to be saved. Often enough that not much is lost (about 256 times a chain), so let it skip calls.
    std::function<void(const AnnealingState&)> checkpoint = {};
    std::atomic<std::uint64_t>* iterations = nullptr;  ///< counts up now and then, for a progress line
};

/// All chains at their starts. Throws InputError for an instance or options that make no sense.
AnnealingState begin_annealing(const KernelInstance& instance, const AnnealingSearchOptions& options);

/// Goes on until the search ends. Uses the threads of the task arena it is called in. A state that was
/// stopped by a limit can be continued; the result is then that of an uninterrupted search.
AnnealingStop continue_annealing(AnnealingState& state, const AnnealingLimits& limits = {});

/// Advances all chains to iteration `until` or to their last, without any exchange; they may be some of those
/// of a search. Else as continue_annealing().
AnnealingStop advance_annealing(AnnealingState& state, std::uint64_t until, const AnnealingLimits& limits);

/// continue_annealing() with another way to advance the chains.
using AdvanceAnnealing = std::function<AnnealingStop(AnnealingState&, std::uint64_t until)>;
AnnealingStop continue_annealing_by(AnnealingState& state, const AdvanceAnnealing& advance);

/// One improvement of the best value of a chain.
struct AnnealingLogEntry {
    double seconds = 0;
    std::uint32_t chain = 0;
    std::uint64_t iteration = 0;
    int value = 0;
};

struct StartValue {
    Start start;
    int value;  ///< best makespan of the start strings of this kind, before any iteration
};

/// What was found so far: a makespan that some work-conserving scheduler causes, not more.
struct AnnealingResult {
    int found = 0;
    KernelSchedule schedule = {};  ///< that takes `found` cycles
    PrecedenceString string = {};  ///< the string behind it, warps named in the order of first occurrence
    std::vector<StartValue> start_values = {};
    std::uint32_t chains = 0;
    std::uint64_t iterations = 0;  ///< of all chains together
    double seconds = 0;
    std::vector<AnnealingLogEntry> log = {};  ///< by iteration, then chain
    AnnealingStop stop = AnnealingStop::complete;
};

AnnealingResult annealing_result(const AnnealingState& state, AnnealingStop stop);

/// The three above in one go.
AnnealingResult annealing_search(const KernelInstance& instance, const AnnealingSearchOptions& options,
                                 const AnnealingLimits& limits = {});

}  // namespace warpnet
