#include "analysis/studies/split/evaluate.hpp"

#include <algorithm>
#include <vector>

// One pass from the innermost blocks outwards. It shares nothing with the dynamic program of split.cpp except
// the unit demand of a set, so tests and baselines use it as an independent judge.

namespace warpnet {

namespace {

std::int64_t sum_of(std::span<const BlockId> sequence, const std::vector<std::int64_t>& times) {
    std::int64_t sum = 0;
    for (const BlockId block : sequence) sum += times[index(block)];
    return sum;
}

bool any_needs_more_than_one(std::span<const BlockId> sequence, const std::vector<Units>& demands) {
    return std::any_of(sequence.begin(), sequence.end(), [&](BlockId b) { return demands[index(b)] > 1; });
}

}  // namespace

SplitCost evaluate(const StructuredCfg& cfg, const SplitSet& splits, UnitRule rule) {
    const std::vector<Units> demands = unit_demands(cfg, splits);
    SplitCost cost;
    for (const BlockId block : cfg.root()) cost.units = std::max(cost.units, demands[index(block)]);
    std::vector<std::int64_t> times(cfg.size());
    const std::span<const BlockId> order = cfg.program_order();
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        const CfgBlock& block = cfg[*at];
        const std::int64_t left = sum_of(block.true_side, times);
        const std::int64_t right = sum_of(block.false_side, times);
        const bool split = splits[index(*at)];
        times[index(*at)] = block.time + (split ? std::max(left, right) : left + right);
        if (rule == UnitRule::paper && !split && any_needs_more_than_one(block.true_side, demands) &&
            any_needs_more_than_one(block.false_side, demands)) {
            cost.against_rule = *at;
        }
    }
    cost.wcet = sum_of(cfg.root(), times);
    return cost;
}

}  // namespace warpnet
