#include "analysis/studies/split/pool_split.hpp"

#include "analysis/studies/split/split.hpp"
#include "engine/net/error.hpp"
#include "netgen/cfg/generator.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/cfg_samples.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

// The minimum over all sets of splits, each of them simulated.
std::int64_t brute_force_pool(const netgen::StructuredCfg& cfg, netgen::Units units) {
    const std::vector<netgen::BlockId> branches = cfg.branches();
    netgen::UnitPool pool(cfg);
    std::int64_t best = pool.run(netgen::SplitSet(cfg.size(), false), units).wcet;
    for (std::uint64_t set = 1; set >> branches.size() == 0; ++set) {
        netgen::SplitSet splits(cfg.size(), false);
        for (std::size_t i = 0; i < branches.size(); ++i) splits[index(branches[i])] = (set >> i & 1) != 0;
        best = std::min(best, pool.run(splits, units).wcet);
    }
    return best;
}

}  // namespace

TEST_CASE("pooled units: the optimum is that of brute force, on 1,000 random graphs") {
    std::uint64_t better = 0;
    for (std::uint64_t seed = 1; seed <= case_count(1'000); ++seed) {
        CAPTURE(seed);
        const netgen::StructuredCfg cfg = random_cfg(seed, 9);
        for (const netgen::Units units : {1, 2, 3, 4}) {
            CAPTURE(units);
            const studies::PoolSplitResult found = studies::best_pool_split(cfg, units);
            const studies::SplitResult allotted = studies::best_split(cfg, units);
            REQUIRE(found.exact());
            REQUIRE(found.end == WorkEnd::complete);
            REQUIRE(found.wcet == brute_force_pool(cfg, units));
            REQUIRE(found.wcet <= allotted.wcet);
            REQUIRE(found.unsplit == allotted.unsplit);
            REQUIRE(netgen::run_pool(cfg, found.run.taken, units) == found.run);
            if (found.wcet < allotted.wcet) ++better;
        }
    }
    CHECK(better >= least_count(20));
}

TEST_CASE("pooled units: with too few evaluations, a bracket around the optimum") {
    std::uint64_t open = 0;
    for (std::uint64_t seed = 1; seed <= case_count(100); ++seed) {
        CAPTURE(seed);
        const netgen::StructuredCfg cfg = random_cfg(seed, 14);
        const std::int64_t optimum = studies::best_pool_split(cfg, 3).wcet;
        for (const std::uint64_t evaluations : {0U, 4U, 16U, 64U}) {
            CAPTURE(evaluations);
            const studies::PoolSplitResult found =
                studies::best_pool_split(cfg, 3, {.evaluations = evaluations, .seed = seed});
            REQUIRE(found.lower <= optimum);
            REQUIRE(found.wcet >= optimum);
            REQUIRE(found.wcet <= studies::best_split(cfg, 3).wcet);
            REQUIRE(found.run.wcet == found.wcet);
            REQUIRE(studies::best_pool_split(cfg, 3, {.evaluations = evaluations, .seed = seed}) == found);
            if (found.exact()) continue;
            REQUIRE(found.end == WorkEnd::effort_limit);
            ++open;
        }
    }
    CHECK(open >= least_count(20));
}

TEST_CASE("pooled units: a generated graph of 95 branches") {
    const netgen::StructuredCfg cfg = netgen::generate_cfg({4, 4, 1000, 2, 100});
    const studies::PoolSplitResult found = studies::best_pool_split(cfg, 4, {.evaluations = 2000});
    REQUIRE(cfg.branches().size() > 90);
    CHECK(found.lower < found.wcet);
    CHECK(found.wcet < studies::best_split(cfg, 4).wcet);
    CHECK_THROWS_AS(studies::best_pool_split(cfg, 0), InputError);
}
