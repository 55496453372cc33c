#pragma once

#include "analysis/studies/split/split.hpp"
#include "engine/base/work_limits.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace warpnet {

struct BruteForceResult {
    std::int64_t wcet = 0;  ///< least of the tried sets; the least of all if `end` is `complete`
    SplitSet splits;        ///< the first set with that WCET
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
/// tree never falls when that of a part rises, so each part may be optimised by itself with its units, which
/// is the recurrence. Under UnitRule::paper one side of an unsplit branch has a single unit, so sets with
/// splits on both sides of an unsplit branch have no allocation; the rest of the argument is the same.
BruteForceResult brute_force_split(const StructuredCfg& cfg, Units units, UnitRule rule = UnitRule::reuse,
                                   const WorkLimits& limits = {.effort = 1'000'000});

}  // namespace warpnet
