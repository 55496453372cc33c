#pragma once

#include "analysis/worst/kernel/precedence_string.hpp"
#include "analysis/worst/kernel/schedule.hpp"
#include "analysis/worst/search/annealing.hpp"
#include "engine/base/random.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace warpnet::worst {

/// The ways to make a neighbour of a pseudo-precedence string, each with its frequency; not all 0.
struct MoveWeights {
    std::uint32_t exchange = 0;       ///< two positions anywhere exchanged: the paper's neighbour
    std::uint32_t exchange_near = 0;  ///< two positions exchanged, at most near_exchange apart
    std::uint32_t shift = 0;          ///< one entry moved anywhere
    std::uint32_t shift_near = 0;     ///< the same, at most near_shift away
    /// Up to longest_block successive entries of one warp put together, at most far_block away.
    std::uint32_t gather = 0;
    /// The same for several warps, all their entries put together at one position: warps that execute a
    /// stretch of the kernel in lock-step, or in succession.
    std::uint32_t gang = 0;
};

inline constexpr std::uint32_t near_exchange = 12;
inline constexpr std::uint32_t near_shift = 30;
inline constexpr std::uint32_t longest_block = 10;
inline constexpr std::uint32_t far_block = 40;
inline constexpr std::uint32_t largest_gang = 6;

/// Draws neighbours. A neighbour is a window: `letters`, a permutation of the entries from position `first`
/// on, replaces them.
class Neighbourhood {
  public:
    explicit Neighbourhood(const MoveWeights& weights);

    /// One candidate: sets first() and letters(). False if the draw changes nothing. O(length of the window).
    bool draw(std::span<const Warp> string, CounterRandom& random);

    std::size_t first() const noexcept { return first_; }
    std::span<const Warp> letters() const noexcept { return letters_; }

  private:
    bool exchange(std::span<const Warp> string, std::size_t a, std::size_t b);
    bool shift(std::span<const Warp> string, std::size_t from, std::size_t to);
    bool gather(std::span<const Warp> string, std::size_t from, CounterRandom& random);
    bool gang(std::span<const Warp> string, std::size_t from, CounterRandom& random);
    bool put_block(std::span<const Warp> string, std::size_t from, std::size_t to);

    std::array<std::uint32_t, 6> up_to_;  // sums of weights
    std::size_t first_ = 0;
    std::vector<Warp> letters_;
    std::vector<Warp> block_;  // the entries put together
    std::vector<Warp> rest_;   // the entries between them
};

/// The Problem (annealing.hpp) of the makespan of an instruction string: candidates are pseudo-precedence
/// strings (Berezovskyi, Bletsas, Petters).
struct KernelStrings {
    using Instance = netgen::KernelInstance;
    using Candidate = PrecedenceString;
    using Value = int;  ///< cycles
    using Start = SearchStart;
    /// As in the paper: 8 chains, two with each start.
    static constexpr std::array starts{Start::round_robin, Start::fixed_priority, Start::most_pending,
                                       Start::random};
    static constexpr Start restart = Start::random;
    static constexpr std::size_t mixtures = 2;
    static constexpr std::uint64_t check_interval = 1024;
    static constexpr std::uint64_t shortest_round = 2048;
    static constexpr std::uint64_t shortest_stretch = 8192;
    static constexpr std::size_t chains_together = 4;  // see SerialScheduler
    static constexpr const char* candidate_name = "string";
    static constexpr const char* subject = "a kernel";

    static void check(const netgen::KernelInstance& instance) { check_instance(instance); }
    static PrecedenceString begin(const netgen::KernelInstance& instance, const AnnealingOptions& options,
                                  Start start, std::uint64_t stream, const WorkLimits& = {}) {
        return start_string(instance, start, options.seed, stream);
    }
    template <class Function>
    static void with_worker(const netgen::KernelInstance& instance, Function&& function);
    static std::string_view name_of(Start start) { return to_string(start); }
};

using Chain = ChainOf<KernelStrings>;
using Improvement = ImprovementOf<int>;
using ChainHooks = ChainHooksOf<KernelStrings>;
using ChainStretch = ChainStretchOf<KernelStrings>;
using AnnealingSearchOptions = SearchOptionsOf<KernelStrings>;
using AnnealingState = SearchStateOf<KernelStrings>;
using AnnealingLimits = SearchLimitsOf<KernelStrings>;

/// The best makespan found so far: some work-conserving scheduler causes it. It is not a bound.
struct AnnealingResult : SearchResultOf<KernelStrings> {
    KernelSchedule schedule = {};  ///< that takes `found` cycles
    PrecedenceString string = {};  ///< the string behind it, warps named in the order of first occurrence
};

AnnealingResult annealing_result(const AnnealingState& state, WorkEnd stop);

/// begin_search(), continue_search() and annealing_result() in one call.
AnnealingResult annealing_search(const netgen::KernelInstance& instance,
                                 const AnnealingSearchOptions& options, const AnnealingLimits& limits = {});

/// A search as JSON text, one object: the instance, the options, and every chain with its string, its best
/// string and its log. Numbers survive exactly, so a search that is read back continues like the one that was
/// written. About 10 bytes per entry, two strings per chain.
std::string write_checkpoint(const AnnealingState& state);

/// The search in the text. Throws InputError with the position for a text that is no checkpoint of this
/// version or contradicts itself: a string that does not belong to the instance, or a best value that its
/// string does not have.
AnnealingState read_checkpoint(std::string_view text);

}  // namespace warpnet::worst
