#pragma once

#include "analysis/kernel/objective.hpp"
#include "analysis/kernel/precedence_string.hpp"
#include "analysis/kernel/starts.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace warpnet {

/// How a chain moves over pseudo-precedence strings.
enum class AnnealingMethod : std::uint8_t {
    /// Seed 000, section V, to the letter: one cooling T = T0 (1 - iteration / iterations); neighbours by
    /// exchanging two positions; a candidate that is worse by d is taken with probability min(1, T / d).
    paper,
    /// A series of coolings of growing length, each from a start of its own and with one of several mixtures
    /// of
    /// moves, T falling geometrically from T0; a candidate worse by d is taken with probability exp(-d / T).
    /// What worked best in a chain so far is used most.
    portfolio,
    /// Parallel tempering: a chain a temperature, on a ladder that falls geometrically from T0; neighbours on
    /// the ladder exchange their temperatures now and then (annealing_search.hpp), so that strings which are
    /// good sink to the cold end and are refined there. A candidate worse by d is taken with probability
    /// exp(-d / T).
    tempering,
};

std::string_view to_string(AnnealingMethod method);

struct AnnealingOptions {
    AnnealingMethod method = AnnealingMethod::portfolio;
    Objective objective = Objective::longest;
    std::uint64_t iterations = 2'000'000;  ///< candidates a chain draws
    double temperature = 0.6;              ///< T0, in cycles, at least 0; the paper uses 0.3
    std::uint64_t seed = 1;
    bool operator==(const AnnealingOptions&) const = default;
};

/// The iteration after which a chain's best value became `value`, counted from 1; 0: its start.
struct Improvement {
    std::uint64_t iteration = 0;
    int value = 0;
    double seconds = 0;  ///< since the search began; the only part that differs between equal searches
};

/// A chain between two of its iterations: all that its future depends on, beside the instance and the
/// options.
struct Chain {
    std::uint32_t number = 0;  ///< its random numbers are keyed by (seed, number, iteration)
    Start start = Start::random;
    std::uint64_t iteration = 0;    ///< candidates drawn so far
    std::uint64_t evaluations = 0;  ///< of these, those that differed from their string and were scheduled
    PrecedenceString string = {};
    PrecedenceString best = {};
    int value = 0;                        ///< makespan of `string`
    int best_value = 0;                   ///< makespan of `best`
    int cooling_value = 0;                ///< best makespan since the present cooling began
    std::vector<int> mixture_value = {};  ///< best makespan per mixture of moves over its finished coolings
    double temperature = 0;               ///< its present one, of AnnealingMethod::tempering
    std::vector<Improvement> log = {};
};

/// A chain at its start string. Throws InputError for an instance or options that make no sense.
Chain begin_chain(const KernelInstance& instance, const AnnealingOptions& options, std::uint32_t number,
                  Start start);

/// What a chain asks while it advances; each function may be empty.
struct ChainHooks {
    std::function<bool(const Chain&)> stop = {};  ///< asked every 1024 iterations and at each improvement
    std::function<double()> seconds = {};         ///< the time for the log
};

/// How far a chain shall go: to iteration `until` or its last.
struct ChainStretch {
    Chain* chain = nullptr;
    std::uint64_t until = 0;
};

/// Advances chains over their stretches, or until they are stopped, one by one. A few chains together are
/// faster than one after the other (see SerialScheduler). Neither that nor into how many stretches a budget
/// is cut changes the result.
void advance_chains(const KernelInstance& instance, const AnnealingOptions& options, const ChainHooks& hooks,
                    std::span<const ChainStretch> stretches);

/// Whether makespan `a` is better than `b`.
constexpr bool better(Objective objective, int a, int b) {
    return objective == Objective::longest ? a > b : a < b;
}

}  // namespace warpnet
