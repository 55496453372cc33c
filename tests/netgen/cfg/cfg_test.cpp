#include "netgen/cfg/cfg.hpp"

#include "tests/support/bad_input.hpp"
#include "tests/support/cfg_samples.hpp"

#include <limits>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;
using Catch::Matchers::Contains;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

netgen::CfgBlock branch(std::string id, std::vector<netgen::BlockId> true_side,
                        std::vector<netgen::BlockId> false_side = {}) {
    return {std::move(id), 1, std::move(true_side), std::move(false_side)};
}

std::string refusal(std::vector<netgen::CfgBlock> blocks, std::vector<netgen::BlockId> root) {
    return input_error_of([&] { netgen::StructuredCfg(std::move(blocks), std::move(root)); }, "accepted");
}

}  // namespace

TEST_CASE("program order runs a branch, its true side, its false side, then the next sibling") {
    const netgen::StructuredCfg cfg = figure_2();
    std::string order;
    for (const netgen::BlockId block : cfg.program_order()) order += cfg[block].id + " ";
    CHECK(order == "b1 b2 b3 b4 b5 b6 b7 b8 b9 b10 ");
    CHECK(cfg.nesting_depth() == 2);
    REQUIRE(cfg.branches().size() == 3);
    CHECK(cfg[cfg.branches()[2]].id == "b6");
}

TEST_CASE("a graph whose blocks do not form sequences is refused with the blocks' names") {
    const netgen::BlockId a{0};
    const netgen::BlockId b{1};
    const netgen::BlockId c{2};
    CHECK_THAT(refusal({}, {}), Contains("expected at least one"));
    CHECK_THAT(refusal({{"a", 1}, {"b", 1}}, {a}), Contains("'b' is in no sequence"));
    CHECK_THAT(refusal({{"a", 1}}, {a, a}), Contains("'a' is in two places"));
    CHECK_THAT(refusal({branch("a", {c}), branch("b", {c}), {"c", 1}}, {a, b}),
               Contains("'c' is in two places: a side of 'a' and a side of 'b'"));
    CHECK_THAT(refusal({branch("a", {b}, {b}), {"b", 1}}, {a}), Contains("'b' is in two places"));
    CHECK_THAT(refusal({{"a", 1}, branch("b", {c}), branch("c", {b})}, {a}),
               Contains("cycle") && Contains("'c' in 'b' in 'c'"));
    CHECK_THAT(refusal({{"a", 1}, branch("b", {}, {b})}, {a}), Contains("'b' in 'b'"));
    CHECK_THAT(refusal({branch("a", {netgen::BlockId(7)})}, {a}), Contains("names block index 7 of 1"));
    CHECK_THAT(refusal({{"a", 1}, {"a", 2}}, {a, b}), Contains("'a' is used twice"));
    CHECK_THAT(refusal({{"", 1}}, {a}), Contains("has no id"));
    CHECK_THAT(refusal({{"a\nb", 1}}, {a}), Contains("control character"));
}

TEST_CASE("block times are not negative and their sum does not overflow") {
    const std::vector<netgen::BlockId> both = {netgen::BlockId(0), netgen::BlockId(1)};
    CHECK_THAT(refusal({{"a", -1}}, {netgen::BlockId(0)}), Contains("'a' has time -1"));
    CHECK_THAT(refusal({{"a", most}, {"b", 1}}, both), Contains("up to 'b' add up to more than"));
    CHECK(refusal({{"a", most - 1}, {"b", 1}}, both) == "accepted");
}

TEST_CASE("ten thousand branches inside one another are no trouble") {
    const netgen::StructuredCfg cfg = nest(10'000);
    CHECK(cfg.nesting_depth() == 10'000);
    CHECK(cfg.program_order().size() == cfg.size());

    std::vector<netgen::CfgBlock> ring;
    for (std::size_t i = 0; i < 10'000; ++i)
        ring.push_back(
            branch(std::string("b").append(std::to_string(i)), {netgen::BlockId((i + 1) % 10'000)}));
    ring.push_back({"root", 1});
    CHECK_THAT(refusal(ring, {netgen::BlockId(10'000)}), Contains("cycle"));
}

TEST_CASE("split points are named by branches that exist") {
    const netgen::StructuredCfg cfg = figure_2();
    const std::vector<std::string> some = {"b6", "b1"};
    CHECK(netgen::split_ids(cfg, netgen::split_set(cfg, some)) == std::vector<std::string>{"b1", "b6"});
    const std::vector<std::string> unknown = {"b11"};
    const std::vector<std::string> plain = {"b2"};
    CHECK_THROWS_WITH(netgen::split_set(cfg, unknown), Contains("'b11'") && Contains("no such block"));
    CHECK_THROWS_WITH(netgen::split_set(cfg, plain), Contains("'b2'") && Contains("no branch"));
}
