#include "analysis/kernel/annealing_team.hpp"

#include "analysis/kernel/checkpoint.hpp"
#include "analysis/team/chain_farm.hpp"

#include <algorithm>
#include <stdexcept>

#include <tbb/task_arena.h>

namespace warpnet {

namespace {

/// What every rank does with chains.
AdvanceChains advance_by(int threads, const KernelInstance& instance, const AnnealingSearchOptions& options,
                         const AnnealingLimits& limits, FarmSignals& signals) {
    signals.interrupt = limits.interrupt;
    signals.deadline = limits.deadline;
    signals.done = limits.iterations;
    return [&, threads](std::string_view chains, std::uint64_t until) {
        AnnealingState part{.instance = instance, .options = options, .chains = read_chains(chains)};
        const AnnealingLimits mine{
            .interrupt = &signals.stop, .deadline = {}, .checkpoint = {}, .iterations = limits.iterations};
        tbb::task_arena(threads).execute([&] { advance_annealing(part, until, mine); });
        return write_chains(part.chains);
    };
}

AnnealingStop annealing_stop(FarmStop stop) {
    return stop == FarmStop::complete     ? AnnealingStop::complete
           : stop == FarmStop::time_limit ? AnnealingStop::time_limit
                                          : AnnealingStop::interrupted;
}

}  // namespace

AnnealingStop lead_annealing(Team& team, int threads, AnnealingState& state, const AnnealingLimits& limits) {
    if (state.options.target) throw std::logic_error("a team has no target");
    using Clock = std::chrono::steady_clock;
    const double seconds_before = state.seconds;
    const auto began = Clock::now();
    const auto tell_time = [&] {
        state.seconds = seconds_before + std::chrono::duration<double>(Clock::now() - began).count();
    };
    FarmSignals signals;
    const AdvanceChains advance = advance_by(threads, state.instance, state.options, limits, signals);
    FarmedChains chains{
        .count = state.chains.size(),
        .shortest_stretch = 8192,
        .iteration = [&](std::size_t chain) { return state.chains[chain].iteration; },
        .write =
            [&](std::size_t begin, std::size_t end) {
                return write_chains({state.chains.data() + begin, end - begin});
            },
        .read =
            [&](std::size_t begin, std::string_view text) {
                std::vector<Chain> advanced = read_chains(text);
                std::move(advanced.begin(), advanced.end(),
                          state.chains.begin() + static_cast<std::ptrdiff_t>(begin));
                tell_time();
            },
    };
    if (limits.checkpoint) chains.save = [&] { limits.checkpoint(state); };
    const AnnealingStop stop = continue_annealing_by(state, [&](AnnealingState&, std::uint64_t until) {
        chains.until = until;
        return annealing_stop(lead_chains(team, threads, chains, advance, signals));
    });
    tell_time();
    return stop;
}

void follow_annealing(Team& team, int threads, const KernelInstance& instance,
                      const AnnealingSearchOptions& options, const AnnealingLimits& limits) {
    FarmSignals signals;
    follow_chains(team, advance_by(threads, instance, options, limits, signals), signals);
}

}  // namespace warpnet
