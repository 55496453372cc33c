#pragma once

#include "engine/base/work_limits.hpp"
#include "netgen/cfg/cfg.hpp"

#include <cstddef>
#include <cstdint>

namespace warpnet {

// The baseline choices of `count` split points ([Klashtorny24] section V): all branches if there are fewer.
// With S reserved units, S splits are always possible, independent of their nesting: each needs at most one
// unit more. None of them considers nesting, so evaluate() under UnitRule::reuse gives their cost on the
// hardware.

/// The branches with the largest gain if only they are split: min(unsplit true side, unsplit false side).
/// Ties go to the first in program order. O(blocks log blocks).
SplitSet naive_split(const StructuredCfg& cfg, std::size_t count);

/// The first branches in program order: the dynamic splitting of [Klashtorny24] and of the authors' solver,
/// in which a wavefront splits as long as a unit is free. O(blocks).
SplitSet first_split(const StructuredCfg& cfg, std::size_t count);

/// A uniformly random choice; the same for the same seed and draw. O(blocks).
SplitSet random_split(const StructuredCfg& cfg, std::size_t count, std::uint64_t seed, std::uint64_t draw);

struct RandomSplits {
    double mean_wcet = 0;
    std::uint64_t draws = 0;  ///< number of draws behind the mean
    WorkEnd end = WorkEnd::complete;
};

/// random_split for the draws 0, 1, …, until the limits are reached, but at least one (even if `draws` is 0).
/// O(draws * blocks).
RandomSplits random_splits(const StructuredCfg& cfg, std::size_t count, std::uint64_t seed,
                           std::uint64_t draws, const WorkLimits& limits = {});

}  // namespace warpnet
