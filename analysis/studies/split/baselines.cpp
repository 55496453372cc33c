// The cost of a given set of splits, and the baseline choices of [Klashtorny24] section V: largest gains,
// first branches, random sets and brute force. The cost is computed in one pass from the innermost blocks
// outwards. It shares only the unit demand of a set with the dynamic program of split.cpp, so tests and
// baselines use it as an independent judge. Brute force counts through all sets of branches within a limit.

#include "analysis/studies/split/baselines.hpp"

#include "engine/base/random.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace warpnet::studies {

namespace {

std::int64_t sum_of(std::span<const netgen::BlockId> sequence, const std::vector<std::int64_t>& times) {
    std::int64_t sum = 0;
    for (const netgen::BlockId block : sequence) sum += times[index(block)];
    return sum;
}

bool any_needs_more_than_one(std::span<const netgen::BlockId> sequence,
                             const std::vector<netgen::Units>& demands) {
    return std::any_of(sequence.begin(), sequence.end(),
                       [&](netgen::BlockId b) { return demands[index(b)] > 1; });
}

}  // namespace

SplitCost evaluate(const netgen::StructuredCfg& cfg, const netgen::SplitSet& splits, UnitRule rule) {
    const std::vector<netgen::Units> demands = netgen::unit_demands(cfg, splits);
    SplitCost cost;
    for (const netgen::BlockId block : cfg.root()) cost.units = std::max(cost.units, demands[index(block)]);
    std::vector<std::int64_t> times(cfg.size());
    const std::span<const netgen::BlockId> order = cfg.program_order();
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        const netgen::CfgBlock& block = cfg[*at];
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

namespace {

netgen::SplitSet first_of(const netgen::StructuredCfg& cfg, const std::vector<netgen::BlockId>& branches,
                          std::size_t count) {
    netgen::SplitSet splits(cfg.size(), false);
    for (std::size_t i = 0; i < std::min(count, branches.size()); ++i) splits[index(branches[i])] = true;
    return splits;
}

// Per block, the time of its whole tree without splits, and the gain of splitting it alone.
struct Isolated {
    std::vector<std::int64_t> unsplit;
    std::vector<std::int64_t> gain;
};

Isolated isolated_gains(const netgen::StructuredCfg& cfg) {
    Isolated result{std::vector<std::int64_t>(cfg.size(), 0), std::vector<std::int64_t>(cfg.size(), 0)};
    const auto sum_of = [&](const std::vector<netgen::BlockId>& side) {
        std::int64_t sum = 0;
        for (const netgen::BlockId block : side) sum += result.unsplit[index(block)];
        return sum;
    };
    const std::span<const netgen::BlockId> order = cfg.program_order();
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        const std::int64_t left = sum_of(cfg[*at].true_side);
        const std::int64_t right = sum_of(cfg[*at].false_side);
        result.unsplit[index(*at)] = cfg[*at].time + left + right;
        result.gain[index(*at)] = std::min(left, right);
    }
    return result;
}

}  // namespace

netgen::SplitSet naive_split(const netgen::StructuredCfg& cfg, std::size_t count) {
    const std::vector<std::int64_t> gain = isolated_gains(cfg).gain;
    std::vector<netgen::BlockId> branches = cfg.branches();
    std::stable_sort(branches.begin(), branches.end(),
                     [&](netgen::BlockId a, netgen::BlockId b) { return gain[index(a)] > gain[index(b)]; });
    return first_of(cfg, branches, count);
}

netgen::SplitSet first_split(const netgen::StructuredCfg& cfg, std::size_t count) {
    return first_of(cfg, cfg.branches(), count);
}

netgen::SplitSet random_split(const netgen::StructuredCfg& cfg, std::size_t count, std::uint64_t seed,
                              std::uint64_t draw) {
    std::vector<netgen::BlockId> branches = cfg.branches();
    CounterRandom random(seed, draw);
    for (std::size_t i = 0; i < std::min(count, branches.size()); ++i) {
        const std::size_t rest = branches.size() - i;
        std::swap(branches[i], branches[i + random.below(static_cast<std::uint32_t>(rest))]);
    }
    return first_of(cfg, branches, count);
}

RandomSplits random_splits(const netgen::StructuredCfg& cfg, std::size_t count, std::uint64_t seed,
                           std::uint64_t draws, const WorkLimits& limits) {
    RandomSplits result;
    double sum = 0;
    do {
        sum += static_cast<double>(evaluate(cfg, random_split(cfg, count, seed, result.draws)).wcet);
        ++result.draws;
        result.end = limits.asked_to_end();
    } while (result.draws < draws && result.end == WorkEnd::complete);
    if (result.draws >= draws) result.end = WorkEnd::complete;
    result.mean_wcet = sum / static_cast<double>(result.draws);
    return result;
}

namespace {

// The next set in counting order; false after the last.
bool advance(netgen::SplitSet& splits, const std::vector<netgen::BlockId>& branches) {
    for (const netgen::BlockId branch : branches) {
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

BruteForceResult brute_force_split(const netgen::StructuredCfg& cfg, netgen::Units units, UnitRule rule,
                                   const WorkLimits& limits) {
    if (units < 1) throw InputError("got " + std::to_string(units) + " units, expected 1 or more");
    const std::vector<netgen::BlockId> branches = cfg.branches();
    netgen::SplitSet splits(cfg.size(), false);
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

}  // namespace warpnet::studies
