#pragma once

#include "analysis/kernel/objective.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/run/replay.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace warpnet {

/// How the first string of a chain is made: the order in which transitions fire in a run of the net under a
/// policy.
enum class OrderStart : std::uint8_t {
    round_robin,     ///< Policy::round_robin
    fixed_priority,  ///< Policy::first
    random,          ///< Policy::random
};

std::string_view to_string(OrderStart start);

/// Simulated annealing over strings of transitions that decide every conflict (Policy::replayed; seed 000
/// section VI, MODELS section 2), for any net whose runs end. Chains are independent and take part in nothing
/// but the final choice of the best, so the answer is the same on any number of threads.
struct OrderSearchOptions {
    Objective objective = Objective::longest;
    std::uint64_t seed = 1;
    std::uint32_t chains = 8;
    std::uint64_t iterations = 20'000;     ///< of each chain; an iteration is one run of the net
    double temperature = 1.0;              ///< at the start, in steps; falls linearly to 0
    std::optional<OrderStart> start = {};  ///< absent: chain i takes the i-th of all starts in turn
    std::uint64_t max_steps = 10'000'000;  ///< a run that is longer has no dead marking for this search
    bool operator==(const OrderSearchOptions&) const = default;
};

/// An improvement of the best of a chain.
struct OrderImprovement {
    double seconds = 0;
    std::uint32_t chain = 0;
    std::uint64_t iteration = 0;
    std::uint64_t steps = 0;
    bool operator==(const OrderImprovement&) const = default;
};

/// One chain between two iterations: all that it needs to go on.
struct OrderChain {
    std::uint32_t number = 0;          ///< its random numbers are keyed by it
    std::uint64_t iteration = 0;       ///< iterations made
    std::vector<std::uint32_t> order;  ///< the current string
    std::uint64_t steps = 0;           ///< of the current string
    std::vector<std::uint32_t> best_order;
    std::uint64_t best_steps = 0;
    std::uint64_t start_steps = 0;
    bool endless = false;  ///< it met a run that did not die within max_steps, and ends there
    std::vector<OrderImprovement> log;
    bool operator==(const OrderChain&) const = default;
};

enum class OrderSearchStop : std::uint8_t { complete, endless, time_limit, interrupted };

struct OrderSearchLimits {
    std::optional<std::chrono::steady_clock::time_point> deadline = {};
    const std::atomic<bool>* interrupt = nullptr;
    std::atomic<std::uint64_t>* iterations = nullptr;  ///< counts up, for a progress line
    std::uint64_t until = ~std::uint64_t{0};           ///< leave each chain after this iteration
};

/// Where a chain begins.
OrderStart start_of(const OrderSearchOptions& options, std::uint32_t chain);

/// Chains at their starts. Throws InputError for options out of range.
std::vector<OrderChain> begin_order_search(const CompiledNet& net, const OrderSearchOptions& options);

/// Goes on until every chain has made its iterations (or those until limits.until), in the task arena it is
/// called in; they may be some of the chains of a search. Chains that a limit stopped can be continued later,
/// to the same end. `endless`: a run was met that did not die within max_steps.
OrderSearchStop continue_order_search(const CompiledNet& net, const OrderSearchOptions& options,
                                      std::vector<OrderChain>& chains, const OrderSearchLimits& limits = {});

/// Why chains were left as they are.
OrderSearchStop order_search_stop(const OrderSearchOptions& options, const std::vector<OrderChain>& chains,
                                  const OrderSearchLimits& limits);

/// What the best chain found: a run that exists, with its schedule; not a bound.
struct OrderSearchResult {
    std::uint64_t steps = 0;
    bool dead = false;  ///< the run ended; false: it reached OrderSearchOptions::max_steps
    Schedule schedule;
    std::uint32_t chain = 0;
    std::vector<OrderImprovement> log;  ///< of all chains, by iteration, then chain
};

/// Needs at least one chain.
OrderSearchResult order_search_result(const CompiledNet& net, const OrderSearchOptions& options,
                                      const std::vector<OrderChain>& chains);

}  // namespace warpnet
