#include "analysis/studies/split/baselines.hpp"

#include "analysis/studies/split/evaluate.hpp"
#include "engine/base/random.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace warpnet {

namespace {

SplitSet first_of(const StructuredCfg& cfg, const std::vector<BlockId>& branches, std::size_t count) {
    SplitSet splits(cfg.size(), false);
    for (std::size_t i = 0; i < std::min(count, branches.size()); ++i) splits[index(branches[i])] = true;
    return splits;
}

// Per block, the time of its whole tree without splits, and the gain of splitting it alone.
struct Isolated {
    std::vector<std::int64_t> unsplit;
    std::vector<std::int64_t> gain;
};

Isolated isolated_gains(const StructuredCfg& cfg) {
    Isolated result{std::vector<std::int64_t>(cfg.size(), 0), std::vector<std::int64_t>(cfg.size(), 0)};
    const auto sum_of = [&](const std::vector<BlockId>& side) {
        std::int64_t sum = 0;
        for (const BlockId block : side) sum += result.unsplit[index(block)];
        return sum;
    };
    const std::span<const BlockId> order = cfg.program_order();
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        const std::int64_t left = sum_of(cfg[*at].true_side);
        const std::int64_t right = sum_of(cfg[*at].false_side);
        result.unsplit[index(*at)] = cfg[*at].time + left + right;
        result.gain[index(*at)] = std::min(left, right);
    }
    return result;
}

}  // namespace

SplitSet naive_split(const StructuredCfg& cfg, std::size_t count) {
    const std::vector<std::int64_t> gain = isolated_gains(cfg).gain;
    std::vector<BlockId> branches = cfg.branches();
    std::stable_sort(branches.begin(), branches.end(),
                     [&](BlockId a, BlockId b) { return gain[index(a)] > gain[index(b)]; });
    return first_of(cfg, branches, count);
}

SplitSet first_split(const StructuredCfg& cfg, std::size_t count) {
    return first_of(cfg, cfg.branches(), count);
}

SplitSet random_split(const StructuredCfg& cfg, std::size_t count, std::uint64_t seed, std::uint64_t draw) {
    std::vector<BlockId> branches = cfg.branches();
    CounterRandom random(seed, draw);
    for (std::size_t i = 0; i < std::min(count, branches.size()); ++i) {
        const std::size_t rest = branches.size() - i;
        std::swap(branches[i], branches[i + random.below(static_cast<std::uint32_t>(rest))]);
    }
    return first_of(cfg, branches, count);
}

RandomSplits random_splits(const StructuredCfg& cfg, std::size_t count, std::uint64_t seed,
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

}  // namespace warpnet
