#include "analysis/studies/split/brute_force.hpp"

#include "analysis/studies/split/evaluate.hpp"
#include "engine/net/error.hpp"

#include <string>
#include <vector>

namespace warpnet {

namespace {

// The next set in counting order; false after the last.
bool advance(SplitSet& splits, const std::vector<BlockId>& branches) {
    for (const BlockId branch : branches) {
        splits[index(branch)] = !splits[index(branch)];
        if (splits[index(branch)]) return true;
    }
    return false;
}

WorkEnd end_before(std::uint64_t evaluation, const WorkLimits& limits) {
    if (limits.effort > 0 && evaluation >= limits.effort) return WorkEnd::effort_limit;
    return limits.asked_to_end();
}

}  // namespace

BruteForceResult brute_force_split(const StructuredCfg& cfg, Units units, UnitRule rule,
                                   const WorkLimits& limits) {
    if (units < 1) throw InputError("got " + std::to_string(units) + " units, expected 1 or more");
    const std::vector<BlockId> branches = cfg.branches();
    SplitSet splits(cfg.size(), false);
    // No split is always possible, so there is an answer under any limits.
    BruteForceResult result{evaluate(cfg, splits, rule).wcet, splits, 1};
    while (advance(splits, branches)) {
        result.end = end_before(result.evaluations, limits);
        if (result.end != WorkEnd::complete) break;
        ++result.evaluations;
        const SplitCost cost = evaluate(cfg, splits, rule);
        if (cost.units > units || cost.against_rule || cost.wcet >= result.wcet) continue;
        result.wcet = cost.wcet;
        result.splits = splits;
    }
    return result;
}

}  // namespace warpnet
