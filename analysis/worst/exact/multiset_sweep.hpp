#pragma once

#include "analysis/worst/exact/multiset_steps.hpp"
#include "analysis/worst/exact/remaining_steps.hpp"
#include "analysis/worst/search/objective.hpp"
#include "engine/base/work_limits.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpnet {

class Collectives;

struct MultisetSweepOptions {
    Objective objective = Objective::longest;
    /// Runs of at least (shortest: at most) so many steps are sought; a state from which there is none for
    /// certain is left out. Absent: all runs.
    std::optional<std::uint64_t> target = {};
    std::size_t width = 0;  ///< of a layer, the best by their bounds; 0: all
    WorkLimits limits = {};
    /// States of each of max_ranks shards whose successors are kept until they are put into their layers: a
    /// round. Which of equal runs is found depends on it.
    std::size_t states_of_round = 4096;
    /// All ranks of a team, each of which calls with equal options but for the limits, and keeps some of the
    /// states: the memory is that of a rank. A limit of one ends all. The moves are for rank 0, all else is
    /// the same on all. REQUIRES: width 0. More than max_ranks: some keep none. Null: one process.
    Collectives* ranks = nullptr;
    static constexpr int max_ranks = 16;
};

struct MultisetSweep {
    WorkEnd stop = WorkEnd::complete;
    bool cut = false;  ///< a layer was wider than `width`
    /// Steps of the longest (shortest) run that was found; it meets the target.
    std::optional<std::uint64_t> steps = {};
    std::vector<LocalMove> moves;  ///< of that run, all modules, ascending
    std::uint64_t states = 0;      ///< that were visited
    std::uint64_t effort = 0;      ///< units of WorkLimits::effort
    std::uint64_t bytes = 0;       ///< at most, about
};

/// The longest or shortest run that meets a target, if there is one, by dynamic programming over multiset
/// states. A layer has the states of one sum of the modules' own steps that are left, which falls in every
/// step; so when the search comes to a layer the most steps to each of its states are known, and each state
/// is visited once. With neither a width nor a limit, no answer is a proof that there is no such run.
///
/// Needs net.order. On the threads of the caller's arena; the result is the same whatever their number.
MultisetSweep multiset_sweep(const MultisetNet& net, const RemainingSteps& remaining,
                             const MultisetSweepOptions& options);

}  // namespace warpnet
