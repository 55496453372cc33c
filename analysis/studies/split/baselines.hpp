#pragma once

#include "analysis/studies/split/split.hpp"
#include "engine/base/work_limits.hpp"
#include "netgen/cfg/cfg.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace warpnet::studies {

/// The cost of an annotation, computed without the dynamic program.
struct SplitCost {
    std::int64_t wcet = 0;    ///< a split branch takes its longer side, an unsplit one both
    netgen::Units units = 1;  ///< the least number of units that suffice, see unit_demand
    /// Under UnitRule::paper, an unsplit branch with splits on both sides, if there is one: the rule has no
    /// allocation for it. Never set under UnitRule::reuse.
    std::optional<netgen::BlockId> against_rule = {};

    bool operator==(const SplitCost&) const = default;
};

/// The WCET of the graph with splits at exactly these branches. O(blocks).
SplitCost evaluate(const netgen::StructuredCfg& cfg, const netgen::SplitSet& splits,
                   UnitRule rule = UnitRule::reuse);

// The baseline choices of `count` split points ([Klashtorny24] section V): all branches if there are fewer.
// With S reserved units, S splits are always possible, independent of their nesting: each needs at most one
// unit more. None of them considers nesting, so evaluate() under UnitRule::reuse gives their cost on the
// hardware.

/// The branches with the largest gain if only they are split: min(unsplit true side, unsplit false side).
/// Ties go to the first in program order. O(blocks log blocks).
netgen::SplitSet naive_split(const netgen::StructuredCfg& cfg, std::size_t count);

/// The first branches in program order: the dynamic splitting of [Klashtorny24] and of the authors' solver,
/// in which a wavefront splits as long as a unit is free. O(blocks).
netgen::SplitSet first_split(const netgen::StructuredCfg& cfg, std::size_t count);

/// A uniformly random choice; the same for the same seed and draw. O(blocks).
netgen::SplitSet random_split(const netgen::StructuredCfg& cfg, std::size_t count, std::uint64_t seed,
                              std::uint64_t draw);

struct RandomSplits {
    double mean_wcet = 0;
    std::uint64_t draws = 0;  ///< number of draws behind the mean
    WorkEnd end = WorkEnd::complete;
};

/// random_split for the draws 0, 1, …, until the limits are reached, but at least one (even if `draws` is 0).
/// O(draws * blocks).
RandomSplits random_splits(const netgen::StructuredCfg& cfg, std::size_t count, std::uint64_t seed,
                           std::uint64_t draws, const WorkLimits& limits = {});

/// The best of the tried sets of splits, with the number of sets tried.
struct BruteForceResult {
    std::int64_t wcet = 0;    ///< least of the tried sets; the least of all if `end` is `complete`
    netgen::SplitSet splits;  ///< the first set with that WCET
    std::uint64_t evaluations = 0;
    WorkEnd end = WorkEnd::complete;
    bool operator==(const BruteForceResult&) const = default;
};

/// Tries every set of branches whose unit demand (unit_demand) is at most `units` and that the rule allows.
/// The sets are counted like binary numbers, with the first branch in program order as the lowest digit. A
/// unit of effort is one such set. O(2^branches * blocks).
///
/// Why this is the optimum of the dynamic program. An allocation gives every part a number of units such that
/// the sides of a split share those of the branch, and (reuse) the sides of an unsplit branch and the blocks
/// of a sequence each get all of them. By induction over the nesting, a set of splits has an allocation
/// within u units exactly if its demand is at most u: give each side of a split its demand. The WCET depends
/// only on the set of splits, so the least over all allocations is the least over these sets. The WCET of a
/// tree never falls when that of a part rises, so each part may be optimised separately with its units, which
/// is the recurrence. Under UnitRule::paper one side of an unsplit branch has a single unit, so sets with
/// splits on both sides of an unsplit branch have no allocation; the rest of the argument is the same.
BruteForceResult brute_force_split(const netgen::StructuredCfg& cfg, netgen::Units units,
                                   UnitRule rule = UnitRule::reuse,
                                   const WorkLimits& limits = {.effort = 1'000'000});

}  // namespace warpnet::studies
