#pragma once

#include "analysis/worst/exact/multiset_steps.hpp"
#include "analysis/worst/exact/remaining_steps.hpp"
#include "analysis/worst/search/objective.hpp"
#include "engine/base/work_limits.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpnet::ranks {
class Collectives;
}  // namespace warpnet::ranks

namespace warpnet::worst {

struct MultisetSweepOptions {
    Objective objective = Objective::longest;
    /// Runs of at least (shortest: at most) this many steps are sought; states that certainly lie on no such
    /// run are left out. Absent: all runs.
    std::optional<std::uint64_t> target = {};
    std::size_t width = 0;  ///< of a layer, the best by their bounds; 0: all
    WorkLimits limits = {};
    /// States of each of max_ranks shards with successors that are kept until they enter their layers: a
    /// round. It determines which of several equal runs is found.
    std::size_t states_of_round = 4096;
    /// All ranks of a team. Each calls this with equal options except for the limits, and keeps some of the
    /// states: the memory limit is per rank. A limit that one reaches ends all. The moves are for rank 0,
    /// everything else is the same on all. REQUIRES: width 0. Ranks beyond max_ranks keep no states. Null:
    /// one process.
    ranks::Collectives* ranks = nullptr;
    static constexpr int max_ranks = 16;
};

struct MultisetSweep {
    WorkEnd stop = WorkEnd::complete;
    bool cut = false;  ///< a layer was wider than `width`
    /// Steps of the longest (shortest) run found; it meets the target.
    std::optional<std::uint64_t> steps = {};
    std::vector<LocalMove> moves;  ///< of that run, all modules, ascending
    std::uint64_t states = 0;      ///< visited
    std::uint64_t effort = 0;      ///< units of WorkLimits::effort
    std::uint64_t bytes = 0;       ///< at most, about
};

/// The longest or shortest run that meets a target, if there is one, by dynamic programming over multiset
/// states, each visited once (layered_sweep.hpp). With neither a width nor a limit, no answer proves that
/// there is no such run.
///
/// REQUIRES net.order. On the threads of the caller's arena; the result does not depend on their number.
MultisetSweep multiset_sweep(const MultisetNet& net, const RemainingSteps& remaining,
                             const MultisetSweepOptions& options);

}  // namespace warpnet::worst
