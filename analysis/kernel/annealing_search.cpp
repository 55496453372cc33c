#include "analysis/kernel/annealing_search.hpp"

#include "engine/base/random.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <tuple>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace warpnet {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array all_starts{Start::round_robin, Start::fixed_priority, Start::most_pending,
                                Start::random};
constexpr std::uint64_t rounds_of_a_chain = 256;
constexpr std::size_t chains_together = 4;             // in a thread, see advance_chains
constexpr std::uint64_t exchange_interval = 4096;      // iterations
constexpr double coldest = 0.1;                        // temperature of the ladder, as a part of the hottest
constexpr std::uint64_t exchange_stream = 0x65786368;  // keys apart from those of the chains

/// With a target the search ends after the first round in which a chain reached it: other chains finish that
/// round, those that are further already do not matter. So the answer does not depend on who was faster.
std::uint64_t round_length(const AnnealingSearchOptions& options) {
    return std::max<std::uint64_t>(options.annealing.iterations / rounds_of_a_chain, 2048);
}

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

bool reaches(const AnnealingSearchOptions& options, int value) {
    return options.target && !better(options.annealing.objective, *options.target, value);
}

/// The round, from 0, in which a chain reached the target.
std::uint64_t round_of_target(const AnnealingSearchOptions& options, const Chain& chain) {
    for (const Improvement& improvement : chain.log)
        if (reaches(options, improvement.value))
            return improvement.iteration == 0 ? 0 : (improvement.iteration - 1) / round_length(options);
    return never;
}

std::uint64_t first_round_of_target(const AnnealingState& state) {
    std::uint64_t first = never;
    for (const Chain& chain : state.chains) first = std::min(first, round_of_target(state.options, chain));
    return first;
}

/// The chains from the hottest to the coldest.
std::vector<Chain*> by_temperature(AnnealingState& state) {
    std::vector<Chain*> ladder;
    for (Chain& chain : state.chains) ladder.push_back(&chain);
    std::stable_sort(ladder.begin(), ladder.end(),
                     [](const Chain* a, const Chain* b) { return a->temperature > b->temperature; });
    return ladder;
}

/// Every other pair of neighbours on the ladder, the other half in the next round. They exchange their
/// temperatures with the probability min(1, exp(d)) that keeps each at its Boltzmann distribution.
void exchange_temperatures(AnnealingState& state) {
    const std::vector<Chain*> ladder = by_temperature(state);
    const bool longest = state.options.annealing.objective == Objective::longest;
    const std::uint64_t key = hash_bits(state.options.annealing.seed, exchange_stream);
    for (std::size_t i = state.exchanges % 2; i + 1 < ladder.size(); i += 2) {
        Chain &hot = *ladder[i], &cold = *ladder[i + 1];
        const int gain = longest ? hot.value - cold.value : cold.value - hot.value;
        const double d = gain * (1 / cold.temperature - 1 / hot.temperature);
        CounterRandom random(key, hash_bits(state.exchanges, i));
        if (random.uniform() < std::exp(d)) std::swap(hot.temperature, cold.temperature);
    }
    ++state.exchanges;
}

void check_tempering(const AnnealingSearchOptions& options) {
    if (options.annealing.method != AnnealingMethod::tempering) return;
    if (options.target) throw InputError("annealing: tempering has no target");
    if (!(options.annealing.temperature > 0))
        throw InputError("annealing: temperature 0; expected more, for tempering");
}

}  // namespace

std::string_view to_string(AnnealingStop stop) {
    switch (stop) {
        case AnnealingStop::complete:
            return "complete";
        case AnnealingStop::target_reached:
            return "target reached";
        case AnnealingStop::time_limit:
            return "time limit";
        case AnnealingStop::interrupted:
            break;
    }
    return "interrupted";
}

AnnealingState begin_annealing(const KernelInstance& instance, const AnnealingSearchOptions& options) {
    if (options.chains == 0) throw InputError("annealing: 0 chains; expected at least 1");
    check_tempering(options);
    AnnealingState state{.instance = instance, .options = options, .chains = {}};
    for (std::uint32_t c = 0; c < options.chains; ++c) {
        Chain& chain = state.chains.emplace_back(begin_chain(
            instance, options.annealing, c, options.start.value_or(all_starts[c % all_starts.size()])));
        if (options.annealing.method == AnnealingMethod::tempering && options.chains > 1)
            chain.temperature *= std::pow(coldest, static_cast<double>(c) / (options.chains - 1));
    }
    return state;
}

AnnealingStop continue_annealing(AnnealingState& state, const AnnealingLimits& limits) {
    return continue_annealing_by(state, [&](AnnealingState& advanced, std::uint64_t until) {
        return advance_annealing(advanced, until, limits);
    });
}

AnnealingStop continue_annealing_by(AnnealingState& state, const AdvanceAnnealing& advance) {
    const AnnealingOptions& options = state.options.annealing;
    if (options.method != AnnealingMethod::tempering) return advance(state, options.iterations);
    for (;;) {
        const std::uint64_t until = (state.exchanges + 1) * exchange_interval;
        const AnnealingStop stop = advance(state, std::min(until, options.iterations));
        if (stop != AnnealingStop::complete || until >= options.iterations) return stop;
        exchange_temperatures(state);
    }
}

AnnealingStop advance_annealing(AnnealingState& state, std::uint64_t until, const AnnealingLimits& limits) {
    const AnnealingSearchOptions& options = state.options;
    const auto began = Clock::now();
    const double seconds_before = state.seconds;
    const auto seconds = [&] {
        return seconds_before + std::chrono::duration<double>(Clock::now() - began).count();
    };
    std::mutex mutex;  // of state, once the chains run on copies
    std::atomic<std::uint64_t> target_round = first_round_of_target(state);
    std::atomic<AnnealingStop> limit = AnnealingStop::complete;  // once a limit was met, all chains stop
    const auto limit_reached = [&] {
        if (limits.interrupt != nullptr && limits.interrupt->load(std::memory_order_relaxed))
            limit = AnnealingStop::interrupted;
        else if (limits.deadline && Clock::now() >= *limits.deadline)
            limit = AnnealingStop::time_limit;
        return limit.load() != AnnealingStop::complete;
    };

    const auto stop = [&](const Chain& at) { return reaches(options, at.best_value) || limit_reached(); };
    const std::uint64_t length = round_length(options);
    const auto round_of = [&](const Chain& chain) { return chain.iteration / length; };
    const auto goes_on = [&](const Chain& chain) {
        return chain.iteration < std::min(until, options.annealing.iterations) &&
               !reaches(options, chain.best_value) && round_of(chain) <= target_round.load() &&
               !limit_reached();
    };

    const auto run_chains = [&](std::size_t first, std::size_t last) {
        std::vector<Chain> chains(state.chains.begin() + static_cast<std::ptrdiff_t>(first),
                                  state.chains.begin() + static_cast<std::ptrdiff_t>(last));
        for (;;) {
            std::vector<ChainStretch> stretches;
            for (Chain& chain : chains)
                if (goes_on(chain))
                    stretches.push_back({&chain, std::min(until, (round_of(chain) + 1) * length)});
            if (stretches.empty()) break;
            advance_chains(state.instance, options.annealing, {stop, seconds}, stretches);

            const std::lock_guard lock(mutex);
            for (std::size_t i = 0; i < chains.size(); ++i) {
                target_round = std::min(target_round.load(), round_of_target(options, chains[i]));
                Chain& known = state.chains[first + i];
                if (limits.iterations != nullptr) *limits.iterations += chains[i].iteration - known.iteration;
                known = chains[i];
            }
            state.seconds = seconds();
            if (limits.checkpoint) limits.checkpoint(state);
        }
    };
    const std::size_t size = state.chains.size();
    const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
    const std::size_t together = std::clamp((size + threads - 1) / threads, std::size_t{1}, chains_together);
    const std::size_t groups = (size + together - 1) / together;
    tbb::parallel_for(std::size_t{0}, groups, [&](std::size_t group) {
        run_chains(group * size / groups, (group + 1) * size / groups);
    });
    state.seconds = seconds();

    // With a limit met, a chain that has not finished the round of the target might yet reach it first.
    if (limit.load() != AnnealingStop::complete) return limit;
    return target_round.load() == never ? AnnealingStop::complete : AnnealingStop::target_reached;
}

AnnealingResult annealing_result(const AnnealingState& state, AnnealingStop stop) {
    const AnnealingSearchOptions& options = state.options;
    const Objective objective = options.annealing.objective;
    const std::uint64_t target_round = first_round_of_target(state);
    const std::uint64_t last_iteration =
        stop == AnnealingStop::target_reached ? (target_round + 1) * round_length(options) : never;

    AnnealingResult result{.chains = options.chains, .seconds = state.seconds, .stop = stop};
    const Chain* best = nullptr;
    for (const Chain& chain : state.chains) {
        result.iterations += std::min(chain.iteration, last_iteration);
        for (const Improvement& i : chain.log)
            if (i.iteration <= last_iteration)
                result.log.push_back({i.seconds, chain.number, i.iteration, i.value});
        const bool counts =
            stop != AnnealingStop::target_reached || round_of_target(options, chain) == target_round;
        if (counts && (best == nullptr || better(objective, chain.best_value, best->best_value)))
            best = &chain;
        const int start_value = chain.log.front().value;
        const auto known = std::find_if(result.start_values.begin(), result.start_values.end(),
                                        [&](const StartValue& s) { return s.start == chain.start; });
        if (known == result.start_values.end())
            result.start_values.push_back({chain.start, start_value});
        else if (better(objective, start_value, known->value))
            known->value = start_value;
    }
    std::sort(result.log.begin(), result.log.end(),
              [](const AnnealingLogEntry& a, const AnnealingLogEntry& b) {
                  return std::tuple(a.iteration, a.chain) < std::tuple(b.iteration, b.chain);
              });
    result.found = best->best_value;
    result.string = canonical(best->best);
    result.schedule = decode(state.instance, result.string, search_reading(state.instance));
    return result;
}

AnnealingResult annealing_search(const KernelInstance& instance, const AnnealingSearchOptions& options,
                                 const AnnealingLimits& limits) {
    AnnealingState state = begin_annealing(instance, options);
    const AnnealingStop stop = continue_annealing(state, limits);
    return annealing_result(state, stop);
}

}  // namespace warpnet
