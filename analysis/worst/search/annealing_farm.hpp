#pragma once

// The chains of a search divided among a team, for any Problem (annealing.hpp). Included by the files that
// define a problem's team.

#include "analysis/ranks/chain_farm.hpp"
#include "analysis/worst/search/annealing_rounds.hpp"

#include <charconv>
#include <string>

namespace warpnet {

namespace annealing {

/// The target and some chains, for another rank.
template <class Problem>
std::string write_message(const SearchStateOf<Problem>& state, std::size_t begin, std::size_t end) {
    const auto& target = state.options.target;
    return (target ? std::to_string(*target) : "") + "\n" +
           write_chains_of<Problem>(state.instance, {state.chains.data() + begin, end - begin});
}

template <class Problem>
SearchStateOf<Problem> read_message(const typename Problem::Instance& instance,
                                    const SearchOptionsOf<Problem>& options, std::string_view text) {
    const std::size_t end = text.find('\n');
    SearchStateOf<Problem> part{instance, options, {}, 0, 0};
    part.options.target.reset();
    if (end > 0) std::from_chars(text.data(), text.data() + end, part.options.target.emplace());
    part.chains = read_chains_of<Problem>(instance, text.substr(end + 1));
    return part;
}

/// With a target: round by round, so that all chains know after each whether one reached it.
template <class Problem, class AdvanceTo>
WorkEnd advance_by_rounds(SearchStateOf<Problem>& state, std::uint64_t until, AdvanceTo&& advance_to) {
    const std::uint64_t length = round_length(state.options);
    std::uint64_t round = never;  // the first that is not finished
    for (const auto& chain : state.chains)
        if (!reaches(state.options, chain.best_value)) round = std::min(round, chain.iteration / length);
    for (;; ++round) {
        const std::uint64_t target_round = first_round_of_target(state);
        if (target_round != never && round > target_round) return WorkEnd::target_reached;
        if (round * length >= until) return WorkEnd::complete;
        const WorkEnd stop = advance_to(std::min(until, (round + 1) * length));
        if (stop != WorkEnd::complete) return stop;
    }
}

/// What every rank does with chains.
template <class Problem>
AdvanceChains advance_by(int threads, const typename Problem::Instance& instance,
                         const SearchOptionsOf<Problem>& options, const SearchLimitsOf<Problem>& limits,
                         FarmSignals& signals) {
    signals.limits = limits.work;
    signals.done = limits.iterations;
    return [&, threads](std::string_view chains, std::uint64_t until) {
        SearchStateOf<Problem> part = read_message<Problem>(instance, options, chains);
        SearchLimitsOf<Problem> mine;
        mine.work.interrupt = &signals.stop;
        mine.iterations = limits.iterations;
        tbb::task_arena(threads).execute([&] { advance_search(part, until, mine); });
        return write_chains_of<Problem>(instance, part.chains);
    };
}

}  // namespace annealing

template <class Problem>
WorkEnd lead_search(Team& team, int threads, SearchStateOf<Problem>& state,
                    const SearchLimitsOf<Problem>& limits) {
    using namespace annealing;
    const double seconds_before = state.seconds;
    const auto began = Clock::now();
    const auto tell_time = [&] {
        state.seconds = seconds_before + std::chrono::duration<double>(Clock::now() - began).count();
    };
    FarmSignals signals;
    const AdvanceChains advance =
        advance_by<Problem>(threads, state.instance, state.options, limits, signals);
    FarmedChains chains{
        .count = state.chains.size(),
        .shortest_stretch = Problem::shortest_stretch,
        .iteration =
            [&](std::size_t chain) {
                const auto& at = state.chains[chain];
                return at.ended != StopReason::dead || reaches(state.options, at.best_value) ? never
                                                                                             : at.iteration;
            },
        .write = [&](std::size_t begin, std::size_t end) { return write_message(state, begin, end); },
        .read =
            [&](std::size_t begin, std::string_view part) {
                std::vector<ChainOf<Problem>> advanced = read_chains_of<Problem>(state.instance, part);
                std::move(advanced.begin(), advanced.end(),
                          state.chains.begin() + static_cast<std::ptrdiff_t>(begin));
                tell_time();
            },
    };
    if (limits.checkpoint) chains.save = [&] { limits.checkpoint(state); };
    const auto advance_to = [&](std::uint64_t until) {
        chains.until = until;
        return lead_chains(team, threads, chains, advance, signals);
    };
    const WorkEnd stop =
        continue_search_by<Problem>(state, [&](SearchStateOf<Problem>&, std::uint64_t until) {
            return state.options.target ? advance_by_rounds(state, until, advance_to) : advance_to(until);
        });
    tell_time();
    const bool endless = std::any_of(state.chains.begin(), state.chains.end(),
                                     [](const auto& chain) { return chain.ended != StopReason::dead; });
    return endless ? WorkEnd::endless : stop;
}

template <class Problem>
bool follow_search(Team& team, int threads, const typename Problem::Instance& instance,
                   const SearchOptionsOf<Problem>& options, const SearchLimitsOf<Problem>& limits) {
    FarmSignals signals;
    return follow_chains(team, annealing::advance_by<Problem>(threads, instance, options, limits, signals),
                         signals);
}

}  // namespace warpnet
