#pragma once

// The chains of a search divided among a team, for any Problem (annealing.hpp). Included by the files that
// define a problem's team.

#include "analysis/search/annealing_rounds.hpp"
#include "analysis/team/chain_farm.hpp"

#include <stdexcept>
#include <string>

namespace warpnet {

namespace annealing {

/// What every rank does with chains.
template <class Problem>
AdvanceChains advance_by(int threads, const typename Problem::Instance& instance,
                         const SearchOptionsOf<Problem>& options, const SearchLimitsOf<Problem>& limits,
                         FarmSignals& signals) {
    signals.interrupt = limits.interrupt;
    signals.deadline = limits.deadline;
    signals.done = limits.iterations;
    return [&, threads](std::string_view chains, std::uint64_t until) {
        SearchStateOf<Problem> part{instance, options, read_chains_of<Problem>(instance, chains), 0, 0};
        SearchLimitsOf<Problem> mine;
        mine.interrupt = &signals.stop;
        mine.iterations = limits.iterations;
        tbb::task_arena(threads).execute([&] { advance_search(part, until, mine); });
        return write_chains_of<Problem>(instance, part.chains);
    };
}

inline AnnealingStop annealing_stop(FarmStop stop) {
    return stop == FarmStop::complete     ? AnnealingStop::complete
           : stop == FarmStop::time_limit ? AnnealingStop::time_limit
                                          : AnnealingStop::interrupted;
}

}  // namespace annealing

template <class Problem>
AnnealingStop lead_search(Team& team, int threads, SearchStateOf<Problem>& state,
                          const SearchLimitsOf<Problem>& limits) {
    using namespace annealing;
    if (state.options.target) throw std::logic_error("a team has no target");
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
                return state.chains[chain].endless ? never : state.chains[chain].iteration;
            },
        .write =
            [&](std::size_t begin, std::size_t end) {
                return write_chains_of<Problem>(state.instance, {state.chains.data() + begin, end - begin});
            },
        .read =
            [&](std::size_t begin, std::string_view part) {
                std::vector<ChainOf<Problem>> advanced = read_chains_of<Problem>(state.instance, part);
                std::move(advanced.begin(), advanced.end(),
                          state.chains.begin() + static_cast<std::ptrdiff_t>(begin));
                tell_time();
            },
    };
    if (limits.checkpoint) chains.save = [&] { limits.checkpoint(state); };
    const AnnealingStop stop =
        continue_search_by<Problem>(state, [&](SearchStateOf<Problem>&, std::uint64_t until) {
            chains.until = until;
            return annealing_stop(lead_chains(team, threads, chains, advance, signals));
        });
    tell_time();
    const bool endless = std::any_of(state.chains.begin(), state.chains.end(),
                                     [](const auto& chain) { return chain.endless; });
    return endless ? AnnealingStop::endless : stop;
}

template <class Problem>
void follow_search(Team& team, int threads, const typename Problem::Instance& instance,
                   const SearchOptionsOf<Problem>& options, const SearchLimitsOf<Problem>& limits) {
    FarmSignals signals;
    follow_chains(team, annealing::advance_by<Problem>(threads, instance, options, limits, signals), signals);
}

}  // namespace warpnet
