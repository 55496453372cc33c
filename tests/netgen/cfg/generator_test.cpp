#include "netgen/cfg/generator.hpp"

#include "engine/net/error.hpp"
#include "tests/support/case_count.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

int branches_in(const netgen::StructuredCfg& cfg, std::span<const netgen::BlockId> sequence) {
    return static_cast<int>(std::count_if(sequence.begin(), sequence.end(),
                                          [&](netgen::BlockId block) { return cfg[block].is_branch(); }));
}

}  // namespace

TEST_CASE("generated graphs have the depth, the sequences and the times asked for") {
    std::size_t one_sided = 0;
    for (int depth = 1; depth <= 6; ++depth) {
        for (int in_sequence = 1; in_sequence <= 6; ++in_sequence) {
            for (std::uint64_t seed = 0; seed < 20; ++seed) {
                CAPTURE(depth, in_sequence, seed);
                const netgen::StructuredCfg cfg = netgen::generate_cfg({depth, in_sequence, 50, seed});
                CHECK(cfg.nesting_depth() == static_cast<std::size_t>(depth));
                CHECK(branches_in(cfg, cfg.root()) <= in_sequence);
                for (std::size_t i = 0; i < cfg.size(); ++i) {
                    const netgen::CfgBlock& block = cfg[netgen::BlockId(i)];
                    CHECK(cfg.program_order()[i] == netgen::BlockId(i));
                    CHECK((block.time >= 1 && block.time <= (block.is_branch() ? 5 : 50)));
                    CHECK(branches_in(cfg, block.true_side) <= in_sequence);
                    CHECK(branches_in(cfg, block.false_side) <= in_sequence);
                    if (block.is_branch() && (block.true_side.empty() || block.false_side.empty()))
                        ++one_sided;
                }
            }
        }
    }
    CHECK(one_sided > 0);
}

TEST_CASE("divergence: which sides nest, from one way down to every one of them") {
    const auto shape = [](std::uint64_t seed, int divergence) {
        return netgen::CfgShape{
            .depth = 5, .branches_in_sequence = 2, .max_time = 50, .seed = seed, .divergence = divergence};
    };
    std::size_t before = 0;
    for (const int divergence : {0, 10, 25, 50, 75}) {
        CAPTURE(divergence);
        std::size_t branches = 0;
        for (std::uint64_t seed = 0; seed < case_count(100); ++seed) {
            const netgen::StructuredCfg cfg = netgen::generate_cfg(shape(seed, divergence));
            CHECK(cfg.nesting_depth() == 5);
            for (std::size_t i = 0; i < cfg.size(); ++i) {
                const netgen::CfgBlock& block = cfg[netgen::BlockId(i)];
                if (block.is_branch()) ++branches;
                const bool both =
                    branches_in(cfg, block.true_side) > 0 && branches_in(cfg, block.false_side) > 0;
                if (divergence == 0) CHECK_FALSE(both);
            }
        }
        CHECK(branches > before);
        before = branches;
    }
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const netgen::StructuredCfg cfg = netgen::generate_cfg(shape(seed, 100));
        // No side stops early: every branch with plain sides is at the full depth.
        const auto check = [&](const auto& self, std::span<const netgen::BlockId> sequence,
                               int levels) -> void {
            CHECK((levels == 0 || branches_in(cfg, sequence) > 0));
            for (const netgen::BlockId block : sequence) {
                if (!cfg[block].is_branch()) continue;
                self(self, cfg[block].true_side, levels - 1);
                self(self, cfg[block].false_side, levels - 1);
            }
        };
        check(check, cfg.root(), 5);
    }
    CHECK_THROWS_WITH(netgen::generate_cfg(shape(1, 101)), Catch::Matchers::Contains("divergence"));
}

TEST_CASE("the seed decides the graph") {
    CHECK(netgen::generate_cfg({4, 4, 100, 7}) == netgen::generate_cfg({4, 4, 100, 7}));
    CHECK_FALSE(netgen::generate_cfg({4, 4, 100, 7}) == netgen::generate_cfg({4, 4, 100, 8}));
}

TEST_CASE("shapes out of range are refused") {
    CHECK_THROWS_AS(netgen::generate_cfg({0, 2, 10, 1}), InputError);
    CHECK_THROWS_AS(netgen::generate_cfg({2, 13, 10, 1}), InputError);
    CHECK_THROWS_AS(netgen::generate_cfg({2, 2, 0, 1}), InputError);
    CHECK_THROWS_WITH(netgen::generate_cfg({12, 12, 10, 1}),
                      Catch::Matchers::Contains("more than 1000000 blocks"));
}
