#include "analysis/split/brute_force.hpp"

#include "analysis/split/evaluate.hpp"
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

// `complete`: none.
BruteForceResult::Reason reason_to_stop(std::uint64_t evaluations, const BruteForceOptions& options) {
    using Reason = BruteForceResult::Reason;
    constexpr std::uint64_t evaluations_between_looks_at_the_clock = 256;
    if (evaluations >= options.max_evaluations) return Reason::evaluation_limit;
    if (options.interrupt != nullptr && options.interrupt->load(std::memory_order_relaxed))
        return Reason::interrupted;
    const bool look = evaluations % evaluations_between_looks_at_the_clock == 0;
    if (look && options.deadline && std::chrono::steady_clock::now() >= *options.deadline)
        return Reason::time_limit;
    return Reason::complete;
}

}  // namespace

BruteForceResult brute_force_split(const StructuredCfg& cfg, Units units, UnitRule rule,
                                   const BruteForceOptions& options) {
    if (units < 1) throw InputError("got " + std::to_string(units) + " units, expected 1 or more");
    using Reason = BruteForceResult::Reason;
    const std::vector<BlockId> branches = cfg.branches();
    SplitSet splits(cfg.size(), false);
    // No split is always possible, so there is an answer whatever the limits.
    BruteForceResult result{evaluate(cfg, splits, rule).wcet, splits, 1};
    while (advance(splits, branches)) {
        result.reason = reason_to_stop(result.evaluations, options);
        if (result.reason != Reason::complete) break;
        ++result.evaluations;
        const SplitCost cost = evaluate(cfg, splits, rule);
        if (cost.units > units || cost.against_rule || cost.wcet >= result.wcet) continue;
        result.wcet = cost.wcet;
        result.splits = splits;
    }
    return result;
}

}  // namespace warpnet
