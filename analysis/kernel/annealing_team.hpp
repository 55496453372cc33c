#pragma once

#include "analysis/kernel/annealing_search.hpp"
#include "analysis/team/team.hpp"

namespace warpnet {

/// Rank 0: continue_annealing() with the chains divided among a team. The same answer as by one process;
/// of `limits` the other ranks need `interrupt` and, for the progress, `iterations`. `threads`: of each rank.
/// Exchanges of temperatures are decided here, between chains wherever they are. Needs a search without a
/// target.
AnnealingStop lead_annealing(Team& team, int threads, AnnealingState& state, const AnnealingLimits& limits);

/// All other ranks, for a search with these options: advances chains until rank 0 leaves.
void follow_annealing(Team& team, int threads, const KernelInstance& instance,
                      const AnnealingSearchOptions& options, const AnnealingLimits& limits);

}  // namespace warpnet
