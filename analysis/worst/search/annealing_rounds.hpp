#pragma once

// How the chains of a search advance together, for any Problem (annealing.hpp). Included by the files that
// define a problem's search. Each rank advances successive chains by a stretch of iterations, and all ranks
// then receive all chains. A chain depends on its number and iteration, not on its rank. Exchanges and
// targets are decided between stretches, on all ranks alike.

#include "analysis/ranks/collectives.hpp"
#include "analysis/worst/search/annealing_chains.hpp"
#include "engine/base/round_up.hpp"

#include <array>
#include <limits>
#include <mutex>
#include <tuple>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace warpnet::worst {

namespace annealing {

using Clock = std::chrono::steady_clock;

inline constexpr std::uint64_t rounds_of_a_chain = 256;
inline constexpr std::uint64_t stretches_of_a_chain = 64;
inline constexpr std::uint64_t exchange_interval = 4096;  // iterations
inline constexpr double coldest = 0.1;  // temperature of the ladder, as a fraction of the hottest
inline constexpr std::uint64_t exchange_stream = 0x65786368;  // keys different from those of the chains
inline constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

/// With a target the search ends after the first round in which a chain reached it: other chains finish that
/// round, and later iterations do not count. So the answer does not depend on speeds.
template <class Problem>
std::uint64_t round_length(const SearchOptionsOf<Problem>& options) {
    return std::max(options.annealing.iterations / rounds_of_a_chain, Problem::shortest_round);
}

template <class Problem>
bool reaches(const SearchOptionsOf<Problem>& options, typename Problem::Value value) {
    return options.target && !better(options.annealing.objective, *options.target, value);
}

/// The round, from 0, in which a chain reached the target.
template <class Problem>
std::uint64_t round_of_target(const SearchOptionsOf<Problem>& options, const ChainOf<Problem>& chain) {
    for (const auto& improvement : chain.log)
        if (reaches(options, improvement.value))
            return improvement.iteration == 0 ? 0 : (improvement.iteration - 1) / round_length(options);
    return never;
}

template <class Problem>
std::uint64_t first_round_of_target(const SearchStateOf<Problem>& state) {
    std::uint64_t first = never;
    for (const auto& chain : state.chains) first = std::min(first, round_of_target(state.options, chain));
    return first;
}

/// Counts the iterations of a chain since `before`, and its best value.
template <class Problem>
void show_progress(const SearchStateOf<Problem>& state, const SearchLimitsOf<Problem>& limits,
                   std::uint64_t before, const ChainOf<Problem>& chain) {
    if (limits.iterations != nullptr) *limits.iterations += chain.iteration - before;
    if (limits.best != nullptr &&
        better(state.options.annealing.objective, chain.best_value, limits.best->load()))
        *limits.best = chain.best_value;
}

/// The chains from the hottest to the coldest.
template <class Problem>
std::vector<ChainOf<Problem>*> by_temperature(SearchStateOf<Problem>& state) {
    std::vector<ChainOf<Problem>*> ladder;
    for (auto& chain : state.chains) ladder.push_back(&chain);
    std::stable_sort(ladder.begin(), ladder.end(),
                     [](const auto* a, const auto* b) { return a->temperature > b->temperature; });
    return ladder;
}

/// Every other pair of neighbours on the ladder, the other half in the next round. They exchange their
/// temperatures with the probability min(1, exp(d)) that keeps each at its Boltzmann distribution.
template <class Problem>
void exchange_temperatures(SearchStateOf<Problem>& state) {
    const auto ladder = by_temperature(state);
    const bool longest = state.options.annealing.objective == Objective::longest;
    const std::uint64_t key = hash_bits(state.options.annealing.seed, exchange_stream);
    for (std::size_t i = state.exchanges % 2; i + 1 < ladder.size(); i += 2) {
        auto &hot = *ladder[i], &cold = *ladder[i + 1];
        const auto gain = longest ? hot.value - cold.value : cold.value - hot.value;
        const double d = static_cast<double>(gain) * (1 / cold.temperature - 1 / hot.temperature);
        CounterRandom random(key, hash_bits(state.exchanges, i));
        if (random.uniform() < std::exp(d)) std::swap(hot.temperature, cold.temperature);
    }
    ++state.exchanges;
}

/// Chains that run at the same time, and the conditions that stop them.
template <class Problem>
class Round {
  public:
    Round(SearchStateOf<Problem>& state, std::uint64_t until, const SearchLimitsOf<Problem>& limits)
        : state_(state),
          until_(std::min(until, state.options.annealing.iterations)),
          limits_(limits),
          seconds_before_(state.seconds),
          target_round_(first_round_of_target(state)) {}

    WorkEnd run() {
        const std::size_t size = state_.chains.size();
        const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
        const std::size_t together =
            std::clamp(divided_up(size, threads), std::size_t{1}, Problem::chains_together);
        const std::size_t groups = divided_up(size, together);
        tbb::parallel_for(std::size_t{0}, groups, [&](std::size_t group) {
            run_chains(group * size / groups, (group + 1) * size / groups);
        });
        state_.seconds = seconds();
        if (endless()) return WorkEnd::endless;
        // After a limit is met, a chain that has not finished the round of the target might still reach it
        // first.
        if (limit_.load() != WorkEnd::complete) return limit_;
        return target_round_.load() == never ? WorkEnd::complete : WorkEnd::target_reached;
    }

  private:
    double seconds() const {
        return seconds_before_ + std::chrono::duration<double>(Clock::now() - began_).count();
    }

    bool endless() const {
        return std::any_of(state_.chains.begin(), state_.chains.end(),
                           [](const auto& chain) { return chain.ended != StopReason::dead; });
    }

    bool limit_reached() {
        if (const WorkEnd end = limits_.work.asked_to_end(); end != WorkEnd::complete) limit_ = end;
        return limit_.load() != WorkEnd::complete;
    }

    std::uint64_t round_of(const ChainOf<Problem>& chain) const {
        return chain.iteration / round_length(state_.options);
    }

    bool may_continue(const ChainOf<Problem>& chain) {
        return chain.iteration < until_ && chain.ended == StopReason::dead &&
               !reaches(state_.options, chain.best_value) && round_of(chain) <= target_round_.load() &&
               !limit_reached();
    }

    void run_chains(std::size_t first, std::size_t last) {
        std::vector<ChainOf<Problem>> chains(state_.chains.begin() + static_cast<std::ptrdiff_t>(first),
                                             state_.chains.begin() + static_cast<std::ptrdiff_t>(last));
        const ChainHooksOf<Problem> hooks{
            [&](const auto& at) { return reaches(state_.options, at.best_value) || limit_reached(); },
            [&] { return seconds(); }, limits_.work};
        for (;;) {
            std::vector<ChainStretchOf<Problem>> stretches;
            for (auto& chain : chains) {
                if (may_continue(chain))
                    stretches.push_back(
                        {&chain, std::min(until_, (round_of(chain) + 1) * round_length(state_.options))});
            }
            if (stretches.empty()) break;
            advance_chains_of<Problem>(state_.instance, state_.options.annealing, hooks, stretches);

            const std::lock_guard lock(mutex_);
            for (std::size_t i = 0; i < chains.size(); ++i) {
                target_round_ = std::min(target_round_.load(), round_of_target(state_.options, chains[i]));
                auto& known = state_.chains[first + i];
                show_progress(state_, limits_, known.iteration, chains[i]);
                known = chains[i];
            }
            state_.seconds = seconds();
            if (limits_.checkpoint) limits_.checkpoint(state_);
        }
    }

    SearchStateOf<Problem>& state_;
    std::uint64_t until_;
    const SearchLimitsOf<Problem>& limits_;
    double seconds_before_;
    Clock::time_point began_ = Clock::now();
    std::mutex mutex_;  // of state_, while the chains run on copies
    std::atomic<std::uint64_t> target_round_;
    std::atomic<WorkEnd> limit_ = WorkEnd::complete;  // once a limit was met, all chains stop
};

template <class Problem>
void check_tempering(const SearchOptionsOf<Problem>& options) {
    if (options.annealing.method != AnnealingMethod::tempering) return;
    if (options.target) throw InputError("annealing: tempering has no target");
    if (!(options.annealing.temperature > 0))
        throw InputError("annealing: temperature 0; expected more, for tempering");
}

/// All chains at their starts; chain_of(number) makes each. If the limits are met, those that have begun.
template <class Problem, class ChainOfNumber>
SearchStateOf<Problem> all_chains(const typename Problem::Instance& instance,
                                  const SearchOptionsOf<Problem>& options, const WorkLimits& limits,
                                  ChainOfNumber&& chain_of) {
    if (options.chains == 0) throw InputError("annealing: 0 chains; expected at least 1");
    check_tempering(options);
    SearchStateOf<Problem> state{instance, options, std::vector<ChainOf<Problem>>(options.chains), 0, 0};
    tbb::parallel_for(std::uint32_t{0}, options.chains, [&](std::uint32_t c) {
        if (c > 0 && limits.must_end()) return;
        auto& chain = state.chains[c];
        chain = chain_of(c);
        if (options.annealing.method == AnnealingMethod::tempering && options.chains > 1)
            chain.temperature *= std::pow(coldest, static_cast<double>(c) / (options.chains - 1));
    });
    state.begun = !limits.must_end();
    drop_cut_chains(state);
    return state;
}

/// advance_search() with the chains divided among ranks, over a stretch.
template <class Problem>
WorkEnd advance_stretch(SearchStateOf<Problem>& state, std::uint64_t until,
                        const SearchLimitsOf<Problem>& limits, ranks::Collectives& ranks) {
    const auto began = Clock::now();
    const ranks::ShardOwners owners(static_cast<std::uint32_t>(state.chains.size()), ranks.size());
    SearchStateOf<Problem> part{state.instance, state.options, {}, 0, state.seconds};
    part.chains.assign(state.chains.begin() + owners.first(ranks.rank()),
                       state.chains.begin() + owners.end(ranks.rank()));
    const SearchLimitsOf<Problem> own{
        .work = limits.work, .checkpoint = {}, .iterations = limits.iterations, .best = limits.best};
    WorkEnd stop = part.chains.empty() ? limits.work.asked_to_end() : advance_search(part, until, own);
    // Decided between stretches, for all chains.
    if (stop == WorkEnd::target_reached || stop == WorkEnd::endless) stop = WorkEnd::complete;
    ranks::ByteWriter writer;
    writer.put(stop);
    writer.put_text(write_chains_of<Problem>(state.instance, part.chains));
    const std::vector<std::string> texts = ranks.gather(std::move(writer).take());
    stop = WorkEnd::complete;
    for (int rank = 0; rank < ranks.size(); ++rank) {
        ranks::ByteReader reader(texts[static_cast<std::size_t>(rank)]);
        const auto of_rank = reader.get<WorkEnd>();
        if (stop == WorkEnd::complete) stop = of_rank;
        auto known = state.chains.begin() + owners.first(rank);
        if (rank == ranks.rank()) {
            std::move(part.chains.begin(), part.chains.end(), known);
            continue;
        }
        for (auto& chain : read_chains_of<Problem>(state.instance, reader.get_text())) {
            show_progress(state, limits, known->iteration, chain);
            *known++ = std::move(chain);
        }
    }
    state.seconds += std::chrono::duration<double>(Clock::now() - began).count();
    if (limits.checkpoint) limits.checkpoint(state);
    return stop;
}

/// advance_search() with the chains divided among ranks. With a target a stretch is a round.
template <class Problem>
WorkEnd advance_by_ranks(SearchStateOf<Problem>& state, std::uint64_t until,
                         const SearchLimitsOf<Problem>& limits, ranks::Collectives& ranks) {
    const SearchOptionsOf<Problem>& options = state.options;
    const std::uint64_t iterations = options.annealing.iterations;
    const std::uint64_t stretch =
        options.target ? round_length(options)
                       : std::max(iterations / stretches_of_a_chain, Problem::shortest_stretch);
    until = std::min(until, iterations);
    WorkEnd stop = WorkEnd::complete;
    while (stop == WorkEnd::complete) {
        std::uint64_t least = never;  // of chains that continue
        for (const auto& chain : state.chains)
            if (chain.ended == StopReason::dead && !reaches(options, chain.best_value))
                least = std::min(least, chain.iteration);
        const std::uint64_t target_round = first_round_of_target(state);
        if (least >= until || (target_round != never && least / stretch > target_round)) break;
        stop = advance_stretch(state, std::min(until, (least / stretch + 1) * stretch), limits, ranks);
    }
    if (std::any_of(state.chains.begin(), state.chains.end(),
                    [](const auto& chain) { return chain.ended != StopReason::dead; }))
        return WorkEnd::endless;
    if (stop != WorkEnd::complete) return stop;
    return first_round_of_target(state) == never ? WorkEnd::complete : WorkEnd::target_reached;
}

/// The work of continue_search(); advance(until) advances the chains.
template <class Problem, class Advance>
WorkEnd continue_by(SearchStateOf<Problem>& state, Advance&& advance) {
    if (state.chains.empty()) return WorkEnd::time_limit;  // met while it began
    const AnnealingOptions& options = state.options.annealing;
    if (options.method != AnnealingMethod::tempering) return advance(options.iterations);
    for (;;) {
        const std::uint64_t until = (state.exchanges + 1) * exchange_interval;
        const WorkEnd stop = advance(std::min(until, options.iterations));
        if (stop != WorkEnd::complete || until >= options.iterations) return stop;
        exchange_temperatures(state);
    }
}

}  // namespace annealing

template <class Problem>
SearchStateOf<Problem> begin_search(const typename Problem::Instance& instance,
                                    const SearchOptionsOf<Problem>& options, const WorkLimits& limits) {
    return annealing::all_chains<Problem>(instance, options, limits, [&](std::uint32_t c) {
        return begin_chain_of<Problem>(instance, options.annealing, c, options.start_of(c), limits);
    });
}

template <class Problem>
SearchStateOf<Problem> begin_search_at(const typename Problem::Instance& instance,
                                       SearchOptionsOf<Problem> options,
                                       const typename Problem::Candidate& candidate,
                                       const WorkLimits& limits) {
    annealing::check_chain<Problem>(instance, options.annealing);
    options.candidate_given = true;
    return annealing::all_chains<Problem>(instance, options, limits, [&](std::uint32_t c) {
        return annealing::chain_at<Problem>(instance, options.annealing, c, options.start_of(c), candidate);
    });
}

template <class Problem>
WorkEnd advance_search(SearchStateOf<Problem>& state, std::uint64_t until,
                       const SearchLimitsOf<Problem>& limits) {
    return annealing::Round<Problem>(state, until, limits).run();
}

template <class Problem>
WorkEnd continue_search(SearchStateOf<Problem>& state, const SearchLimitsOf<Problem>& limits) {
    return annealing::continue_by(state,
                                  [&](std::uint64_t until) { return advance_search(state, until, limits); });
}

template <class Problem>
WorkEnd continue_search(SearchStateOf<Problem>& state, const SearchLimitsOf<Problem>& limits,
                        ranks::Collectives& ranks) {
    return annealing::continue_by(
        state, [&](std::uint64_t until) { return annealing::advance_by_ranks(state, until, limits, ranks); });
}

template <class Problem>
void share_search(SearchStateOf<Problem>& state, ranks::Collectives& ranks) {
    ranks::ByteWriter writer;
    writer.put(state.begun);
    writer.put(state.exchanges);
    writer.put(state.seconds);
    writer.put(state.options.annealing.iterations);  // a continued search may have more
    writer.put_text(write_chains_of<Problem>(state.instance, state.chains));
    const std::string text = ranks.broadcast(0, std::move(writer).take());
    ranks::ByteReader reader(text);
    state.begun = reader.get<bool>();
    state.exchanges = reader.get<std::uint64_t>();
    state.seconds = reader.get<double>();
    state.options.annealing.iterations = reader.get<std::uint64_t>();
    if (ranks.rank() > 0) state.chains = read_chains_of<Problem>(state.instance, reader.get_text());
}

template <class Problem>
SearchResultOf<Problem> search_result(const SearchStateOf<Problem>& state, WorkEnd stop) {
    using namespace annealing;
    const SearchOptionsOf<Problem>& options = state.options;
    const Objective objective = options.annealing.objective;
    const std::uint64_t target_round = first_round_of_target(state);
    const std::uint64_t last_iteration =
        stop == WorkEnd::target_reached ? (target_round + 1) * round_length(options) : never;

    SearchResultOf<Problem> result;
    result.chains = static_cast<std::uint32_t>(state.chains.size());
    result.seconds = state.seconds;
    result.stop = stop;
    const ChainOf<Problem>* best = nullptr;
    for (const auto& chain : state.chains) {
        result.iterations += std::min(chain.iteration, last_iteration);
        if (result.ended == StopReason::dead) result.ended = chain.ended;
        for (const auto& i : chain.log)
            if (i.iteration <= last_iteration)
                result.log.push_back({i.seconds, chain.number, i.iteration, i.value});
        const bool counts =
            stop != WorkEnd::target_reached || round_of_target(options, chain) == target_round;
        if (counts && (best == nullptr || better(objective, chain.best_value, best->best_value)))
            best = &chain;
        if (options.candidate_given) continue;
        const auto start_value = chain.log.front().value;
        const auto known = std::find_if(result.start_values.begin(), result.start_values.end(),
                                        [&](const auto& s) { return s.start == chain.start; });
        if (known == result.start_values.end())
            result.start_values.push_back({chain.start, start_value});
        else if (better(objective, start_value, known->value))
            known->value = start_value;
    }
    std::sort(result.log.begin(), result.log.end(), [](const auto& a, const auto& b) {
        return std::tuple(a.iteration, a.chain) < std::tuple(b.iteration, b.chain);
    });
    result.found = best->best_value;
    result.best = best->best;
    return result;
}

}  // namespace warpnet::worst
