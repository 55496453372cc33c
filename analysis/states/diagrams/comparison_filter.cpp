#include "analysis/states/diagrams/comparison_filter.hpp"

#include <algorithm>

namespace warpnet {

StateValues::StateValues(const LinearSum& sum, const DiagramLevels& levels)
    : levels_(levels), terms_(levels.size()), lowest_(levels.size()) {
    for (const auto [place, coefficient] : sum.tokens) {
        const std::size_t level = levels.level_of(place);
        terms_[level].emplace_back(levels.position_of(place), coefficient);
        lowest_ = std::min(lowest_, level);
    }
}

ComparisonFilter::ComparisonFilter(const LinearSum& sum, Relation relation, const DiagramLevels& levels,
                                   DiagramNodes& nodes)
    : levels_(levels), nodes_(nodes), values_(sum, levels), relation_(relation), constant_(sum.constant) {}

/// What the levels below add, at least and at most.
ComparisonFilter::Range ComparisonFilter::range_of(DiagramNode node, std::size_t levels) {
    if (levels <= values_.levels_below()) return {0, 0};
    if (const auto known = ranges_.find(node); known != ranges_.end()) return known->second;
    nodes_.spend(nodes_.edges(node).size());
    std::optional<Range> range;
    for (const auto edge : nodes_.edges(node)) {
        const Range below = range_of(edge.child, levels - 1);
        const WideSum here = values_(levels - 1, edge.state);
        range = range ? Range{std::min(range->least, below.least + here),
                              std::max(range->most, below.most + here)}
                      : Range{below.least + here, below.most + here};
    }
    return ranges_[node] = *range;
}

std::optional<bool> ComparisonFilter::decided(Range range) const {
    const auto same = [&](Relation relation) {
        return compares(range.least, relation) == compares(range.most, relation);
    };
    switch (relation_) {
        case Relation::equal:
        case Relation::not_equal:
            if (range.least <= 0 && range.most >= 0 && range.least != range.most) return std::nullopt;
            break;
        default:
            if (!same(relation_)) return std::nullopt;
    }
    return compares(range.least, relation_);
}

DiagramNode ComparisonFilter::pick(DiagramNode node, std::size_t levels, WideSum sum) {
    if (node == DiagramNodes::none) return node;
    const Range below = range_of(node, levels);
    if (const auto known = decided({sum + below.least, sum + below.most}))
        return *known ? node : DiagramNodes::none;
    const auto key = std::pair(node, sum);
    if (const auto known = picked_.find(key); known != picked_.end()) return known->second;
    nodes_.spend(nodes_.edges(node).size());
    std::vector<DiagramNodes::Edge> left;
    const std::size_t count = nodes_.edges(node).size();
    for (std::size_t i = 0; i < count; ++i) {
        auto edge = nodes_.edges(node)[i];
        edge.child = pick(edge.child, levels - 1, sum + values_(levels - 1, edge.state));
        if (edge.child != DiagramNodes::none) left.push_back(edge);
    }
    return picked_[key] = nodes_.make(left);
}

}  // namespace warpnet
