#include "analysis/studies/split/baselines.hpp"

#include "tests/support/case_count.hpp"
#include "tests/support/cfg_samples.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;
using Ids = std::vector<std::string>;

TEST_CASE("Figure 2: the baselines' choices") {
    const netgen::StructuredCfg cfg = figure_2();
    // Alone, b1 gains min(3, 2) = 2, b4 min(2, 10) = 2, b6 min(3, 5) = 3.
    CHECK(netgen::split_ids(cfg, studies::naive_split(cfg, 1)) == Ids{"b6"});
    CHECK(netgen::split_ids(cfg, studies::naive_split(cfg, 2)) == Ids{"b1", "b6"});
    CHECK(netgen::split_ids(cfg, studies::first_split(cfg, 2)) == Ids{"b1", "b4"});
    CHECK(netgen::split_ids(cfg, studies::first_split(cfg, 9)) == Ids{"b1", "b4", "b6"});
    CHECK(studies::evaluate(cfg, studies::naive_split(cfg, 2)).wcet == 15);
    CHECK(studies::evaluate(cfg, studies::first_split(cfg, 2)).wcet == 16);
    // {b1, b4} 16, {b1, b6} 15, {b4, b6} 15
    CHECK(studies::random_splits(cfg, 2, 1, 3000).mean_wcet == Approx(46.0 / 3).margin(0.05));
    CHECK(studies::random_splits(cfg, 0, 1, 1).mean_wcet == 20);
    const studies::RandomSplits ended =
        studies::random_splits(cfg, 2, 1, 3000, {.deadline = std::chrono::steady_clock::now()});
    CHECK(ended.draws == 1);
    CHECK(ended.mean_wcet == studies::random_splits(cfg, 2, 1, 1).mean_wcet);
    CHECK(ended.end == WorkEnd::time_limit);
}

TEST_CASE("random splits are uniform and depend on seed and draw alone") {
    const netgen::StructuredCfg cfg = figure_2();
    std::map<Ids, int> count;
    for (std::uint64_t draw = 0; draw < 3000; ++draw)
        ++count[netgen::split_ids(cfg, studies::random_split(cfg, 2, 7, draw))];
    REQUIRE(count.size() == 3);
    for (const auto& [ids, times] : count) CHECK(times == Approx(1000).margin(100));
    CHECK(studies::random_split(cfg, 2, 7, 5) == studies::random_split(cfg, 2, 7, 5));
}

TEST_CASE("no baseline beats the optimum, and S splits never need more than S + 1 units") {
    for (std::uint64_t seed = 0; seed < case_count(500); ++seed) {
        const netgen::StructuredCfg cfg = random_cfg(seed, 25);
        for (std::size_t count = 0; count <= 4; ++count) {
            CAPTURE(seed, count);
            const auto units = static_cast<netgen::Units>(count) + 1;
            const std::int64_t best = studies::best_split(cfg, units).wcet;
            for (const netgen::SplitSet& splits :
                 {studies::naive_split(cfg, count), studies::first_split(cfg, count),
                  studies::random_split(cfg, count, seed, 0)}) {
                const studies::SplitCost cost = studies::evaluate(cfg, splits);
                CHECK(cost.wcet >= best);
                CHECK(cost.units <= units);
            }
        }
    }
}

namespace {

constexpr studies::UnitRule rules[] = {studies::UnitRule::reuse, studies::UnitRule::paper};

// All WCETs of every set of splits with every allocation of the units. Each branch is either split with every
// division of its units, or not split with the units that the rule gives its sides.
class EveryAllocation {
  public:
    EveryAllocation(const netgen::StructuredCfg& cfg, studies::UnitRule rule) : cfg_(cfg), rule_(rule) {}

    std::set<std::int64_t> sequence(const std::vector<netgen::BlockId>& blocks, netgen::Units units) const {
        std::set<std::int64_t> sums = {0};
        for (const netgen::BlockId block : blocks)
            sums = combine(sums, tree(block, units), [](auto a, auto b) { return a + b; });
        return sums;
    }

  private:
    template <class Operation>
    static std::set<std::int64_t> combine(const std::set<std::int64_t>& a, const std::set<std::int64_t>& b,
                                          Operation operation) {
        std::set<std::int64_t> result;
        for (const std::int64_t x : a)
            for (const std::int64_t y : b) result.insert(operation(x, y));
        return result;
    }

    std::set<std::int64_t> tree(netgen::BlockId at, netgen::Units units) const {
        const netgen::CfgBlock& block = cfg_[at];
        std::set<std::int64_t> result;
        const auto add = [&](netgen::Units left, netgen::Units right, bool split) {
            const auto both =
                combine(sequence(block.true_side, left), sequence(block.false_side, right),
                        [&](auto a, auto b) { return block.time + (split ? std::max(a, b) : a + b); });
            result.insert(both.begin(), both.end());
        };
        for (netgen::Units left = 1; left < units; ++left) add(left, units - left, true);
        if (rule_ == studies::UnitRule::reuse) {
            add(units, units, false);
        } else {
            add(units, 1, false);
            add(1, units, false);
        }
        return result;
    }

    const netgen::StructuredCfg& cfg_;
    studies::UnitRule rule_;
};

}  // namespace

TEST_CASE("brute force agrees with the dynamic programme on random graphs of at most 9 branches") {
    std::size_t better_with_reuse = 0;
    for (std::uint64_t seed = 0; seed < case_count(1500); ++seed) {
        const netgen::StructuredCfg cfg = random_cfg(seed, 9);
        for (netgen::Units units = 1; units <= 4; ++units) {
            for (const studies::UnitRule rule : rules) {
                CAPTURE(seed, units, rule);
                const studies::BruteForceResult all = studies::brute_force_split(cfg, units, rule);
                REQUIRE(all.end == WorkEnd::complete);
                REQUIRE(all.wcet == studies::best_split(cfg, units, rule).wcet);
                REQUIRE(studies::evaluate(cfg, all.splits, rule).wcet == all.wcet);
                CHECK(all.evaluations == std::uint64_t{1} << cfg.branches().size());
            }
            if (studies::best_split(cfg, units).wcet <
                studies::best_split(cfg, units, studies::UnitRule::paper).wcet)
                ++better_with_reuse;
        }
    }
    CHECK(better_with_reuse >= least_count(50));  // the graphs do distinguish the rules
}

TEST_CASE("the sets within the unit demand lose nothing against all sets with all allocations") {
    for (std::uint64_t seed = 0; seed < case_count(400); ++seed) {
        const netgen::StructuredCfg cfg = random_cfg(1'000'000 + seed, 6);
        const std::vector<netgen::BlockId> root(cfg.root().begin(), cfg.root().end());
        for (netgen::Units units = 1; units <= 4; ++units) {
            for (const studies::UnitRule rule : rules) {
                CAPTURE(seed, units, rule);
                const std::set<std::int64_t> wcets = EveryAllocation(cfg, rule).sequence(root, units);
                CHECK(*wcets.begin() == studies::brute_force_split(cfg, units, rule).wcet);
                CHECK(*wcets.begin() == studies::best_split(cfg, units, rule).wcet);
            }
        }
    }
}

TEST_CASE("brute force says when it was stopped and what it has") {
    const netgen::StructuredCfg cfg = row(20);
    const studies::BruteForceResult stopped =
        studies::brute_force_split(cfg, 2, studies::UnitRule::reuse, {.effort = 1000});
    CHECK(stopped.end == WorkEnd::effort_limit);
    CHECK(stopped.evaluations == 1000);
    CHECK(stopped.wcet == studies::evaluate(cfg, stopped.splits).wcet);
    CHECK(stopped.wcet > studies::best_split(cfg, 2).wcet);

    const WorkLimits late{.deadline = std::chrono::steady_clock::time_point::min()};
    CHECK(studies::brute_force_split(cfg, 2, studies::UnitRule::reuse, late).end == WorkEnd::time_limit);
    const std::atomic<bool> stop = true;
    const WorkLimits stopped_by_user{.interrupt = &stop};
    CHECK(studies::brute_force_split(cfg, 2, studies::UnitRule::reuse, stopped_by_user).end ==
          WorkEnd::interrupted);
    CHECK(studies::brute_force_split(row(3), 2, studies::UnitRule::reuse, {.effort = 8}).end ==
          WorkEnd::complete);
}
