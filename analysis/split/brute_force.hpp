#pragma once

#include "analysis/split/split.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace warpnet {

struct BruteForceOptions {
    std::uint64_t max_evaluations =
        1'000'000;  ///< sets of splits looked at, those with too great a demand included
    std::optional<std::chrono::steady_clock::time_point> deadline = {};
    const std::atomic<bool>* interrupt = nullptr;
};

struct BruteForceResult {
    std::int64_t wcet = 0;  ///< least of those looked at; the least of all where `reason` is `complete`
    SplitSet splits;        ///< the first set that has it
    std::uint64_t evaluations = 0;
    enum class Reason : std::uint8_t {
        complete,
        evaluation_limit,
        time_limit,
        interrupted
    } reason = Reason::complete;
    bool operator==(const BruteForceResult&) const = default;
};

/// Tries every set of branches whose unit demand (unit_demand) is at most `units` and that the rule allows.
/// The sets are counted like binary numbers, the first branch in program order being the lowest digit.
/// O(2^branches * blocks).
///
/// Why this is the optimum the dynamic programme must meet. An allocation gives every part a number of units
/// such that the sides of a split share those of the branch, and (reuse) the sides of an unsplit branch and
/// the blocks of a sequence each get them all. By induction over the nesting, a set of splits has an
/// allocation within u units exactly if its demand is at most u: give each side of a split its demand. The
/// WCET depends on the set of splits alone, so the least over all allocations is the least over these sets;
/// and as the WCET of a tree never falls when that of a part rises, each part may be optimised for itself
/// with the units it gets, which is the recurrence. Under UnitRule::paper an unsplit branch leaves one side a
/// single unit, so sets with splits on both sides of an unsplit branch have no allocation; the rest of the
/// argument is the same.
BruteForceResult brute_force_split(const StructuredCfg& cfg, Units units, UnitRule rule = UnitRule::reuse,
                                   const BruteForceOptions& options = {});

}  // namespace warpnet
