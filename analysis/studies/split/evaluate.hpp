#pragma once

#include "analysis/studies/split/split.hpp"

#include <cstdint>
#include <optional>

namespace warpnet {

/// The cost of an annotation, computed without the dynamic program.
struct SplitCost {
    std::int64_t wcet = 0;  ///< a split branch takes its longer side, an unsplit one both
    Units units = 1;        ///< the least number of units that suffice, see unit_demand
    /// Under UnitRule::paper, an unsplit branch with splits on both sides, if there is one: the rule has no
    /// allocation for it. Never set under UnitRule::reuse.
    std::optional<BlockId> against_rule = {};

    bool operator==(const SplitCost&) const = default;
};

/// The WCET of the graph with splits at exactly these branches. O(blocks).
SplitCost evaluate(const StructuredCfg& cfg, const SplitSet& splits, UnitRule rule = UnitRule::reuse);

}  // namespace warpnet
