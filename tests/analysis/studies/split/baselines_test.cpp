#include "analysis/studies/split/baselines.hpp"

#include "analysis/studies/split/evaluate.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/cfg_samples.hpp"
#include "tests/support/random_cfg.hpp"

#include <chrono>
#include <map>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;
using Ids = std::vector<std::string>;

TEST_CASE("Figure 2: the baselines' choices") {
    const StructuredCfg cfg = figure_2();
    // Alone, b1 gains min(3, 2) = 2, b4 min(2, 10) = 2, b6 min(3, 5) = 3.
    CHECK(split_ids(cfg, naive_split(cfg, 1)) == Ids{"b6"});
    CHECK(split_ids(cfg, naive_split(cfg, 2)) == Ids{"b1", "b6"});
    CHECK(split_ids(cfg, first_split(cfg, 2)) == Ids{"b1", "b4"});
    CHECK(split_ids(cfg, first_split(cfg, 9)) == Ids{"b1", "b4", "b6"});
    CHECK(evaluate(cfg, naive_split(cfg, 2)).wcet == 15);
    CHECK(evaluate(cfg, first_split(cfg, 2)).wcet == 16);
    // {b1, b4} 16, {b1, b6} 15, {b4, b6} 15
    CHECK(random_splits(cfg, 2, 1, 3000).mean_wcet == Approx(46.0 / 3).margin(0.05));
    CHECK(random_splits(cfg, 0, 1, 1).mean_wcet == 20);
    const RandomSplits ended = random_splits(cfg, 2, 1, 3000, {.deadline = std::chrono::steady_clock::now()});
    CHECK(ended.draws == 1);
    CHECK(ended.mean_wcet == random_splits(cfg, 2, 1, 1).mean_wcet);
    CHECK(ended.end == WorkEnd::time_limit);
}

TEST_CASE("random splits are uniform and depend on seed and draw alone") {
    const StructuredCfg cfg = figure_2();
    std::map<Ids, int> count;
    for (std::uint64_t draw = 0; draw < 3000; ++draw) ++count[split_ids(cfg, random_split(cfg, 2, 7, draw))];
    REQUIRE(count.size() == 3);
    for (const auto& [ids, times] : count) CHECK(times == Approx(1000).margin(100));
    CHECK(random_split(cfg, 2, 7, 5) == random_split(cfg, 2, 7, 5));
}

TEST_CASE("no baseline beats the optimum, and S splits never need more than S + 1 units") {
    for (std::uint64_t seed = 0; seed < case_count(500); ++seed) {
        const StructuredCfg cfg = random_cfg(seed, 25);
        for (std::size_t count = 0; count <= 4; ++count) {
            CAPTURE(seed, count);
            const auto units = static_cast<Units>(count) + 1;
            const std::int64_t best = best_split(cfg, units).wcet;
            for (const SplitSet& splits :
                 {naive_split(cfg, count), first_split(cfg, count), random_split(cfg, count, seed, 0)}) {
                const SplitCost cost = evaluate(cfg, splits);
                CHECK(cost.wcet >= best);
                CHECK(cost.units <= units);
            }
        }
    }
}
