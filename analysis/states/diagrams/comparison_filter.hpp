#pragma once

#include "analysis/states/diagrams/levels.hpp"
#include "analysis/states/diagrams/nodes.hpp"
#include "engine/formula/relation.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace warpnet {

/// What the states of each level add to a sum.
class StateValues {
  public:
    StateValues(const LinearSum& sum, const DiagramLevels& levels);

    WideSum operator()(std::size_t level, std::uint32_t state) const {
        WideSum value = 0;
        for (const auto& [position, coefficient] : terms_[level])
            value += WideSum{coefficient} * levels_.tokens(level, state, position);
        return value;
    }
    /// Levels from 0 on that no term speaks of.
    std::size_t levels_below() const noexcept { return lowest_; }

  private:
    const DiagramLevels& levels_;
    std::vector<std::vector<std::pair<std::uint32_t, std::int64_t>>>
        terms_;  // per level: position, coefficient
    std::size_t lowest_;
};

/// Picks from a set of markings those in which a sum compares to 0 as a relation says. O(nodes x different
/// values of partial sums that leave the answer open).
class ComparisonFilter {
  public:
    ComparisonFilter(const LinearSum& sum, Relation relation, const DiagramLevels& levels,
                     DiagramNodes& nodes);

    DiagramNode operator()(DiagramNode markings) { return pick(markings, levels_.size(), constant_); }

  private:
    struct Range {
        WideSum least, most;
    };
    DiagramNode pick(DiagramNode node, std::size_t levels, WideSum sum);
    Range range_of(DiagramNode node, std::size_t levels);
    std::optional<bool> decided(Range range) const;

    const DiagramLevels& levels_;
    DiagramNodes& nodes_;
    StateValues values_;
    Relation relation_;
    WideSum constant_;
    std::map<std::pair<DiagramNode, WideSum>, DiagramNode> picked_;
    std::map<DiagramNode, Range> ranges_;
};

}  // namespace warpnet
