#include "netgen/cfg/net.hpp"

#include "engine/net/error.hpp"
#include "tests/support/cfg_samples.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;
using Catch::Matchers::Contains;

namespace {

// Steps of the net with these splits. At the end all tokens, except those of the end place, are at their
// initial places.
std::uint64_t net_steps(const netgen::StructuredCfg& cfg, const std::vector<std::string>& splits,
                        netgen::Units units) {
    const Net net = netgen::cfg_net(cfg, netgen::annotate(cfg, netgen::split_set(cfg, splits), units));
    const auto run = count_steps(net);
    REQUIRE(run);
    Marking expected = net.initial_marking();
    for (std::size_t p = 0; p < expected.size(); ++p) {
        const std::string& id = net.places()[p].id;
        if (id.ends_with("_run")) expected[p] = 0;
        if (id == "end") expected[p] = 1;
    }
    CHECK(run->marking == expected);
    return run->steps;
}

}  // namespace

TEST_CASE("the net of Figure 2 takes the steps the source computes") {
    const netgen::StructuredCfg cfg = figure_2();
    CHECK(net_steps(cfg, {}, 1) == 20);
    CHECK(net_steps(cfg, {"b4"}, 2) == 18);
    CHECK(net_steps(cfg, {"b6"}, 2) == 17);
    CHECK(net_steps(cfg, {"b1", "b6"}, 2) == 15);
    CHECK(net_steps(cfg, {"b1", "b4", "b6"}, 3) == 13);
}

TEST_CASE("a block takes exactly its time, none included") {
    for (const std::int64_t time : {0, 1, 2, 3, 10}) {
        CAPTURE(time);
        CfgSketch sketch;
        const netgen::BlockId block = sketch.block(time);
        CHECK(net_steps(sketch.build({block}), {}, 1) == static_cast<std::uint64_t>(time));
    }
}

TEST_CASE("branches without time, and sides without blocks") {
    CfgSketch sketch;
    const netgen::BlockId five = sketch.block(5);
    const netgen::BlockId zero = sketch.block(0);
    const netgen::BlockId inner = sketch.branch(0, {}, {zero});
    const netgen::BlockId outer = sketch.branch(0, {five}, {inner});
    const netgen::StructuredCfg cfg = sketch.build({outer});
    CHECK(net_steps(cfg, {}, 1) == 5);
    CHECK(net_steps(cfg, {"b3", "b4"}, 3) == 5);
    CHECK(net_steps(cfg, {"b4"}, 2) == 5);
}

TEST_CASE("the net has readable names, one delay gadget per block and a fork and join per split") {
    const netgen::StructuredCfg cfg = figure_2();
    const std::vector<std::string> splits = {"b4", "b6"};
    const Net net = netgen::cfg_net(cfg, netgen::annotate(cfg, netgen::split_set(cfg, splits), 4));
    const NodeIndex nodes(net);
    REQUIRE(nodes.place("b8_timer"));
    CHECK(net[*nodes.place("b8_timer")].initial == 4);
    CHECK(nodes.transition("b8_tick"));
    CHECK_FALSE(nodes.transition("b4_tick"));  // one step needs no timer
    REQUIRE(nodes.transition("b4_fork"));
    CHECK(net[*nodes.transition("b4_fork")].immediate);
    CHECK(net[*nodes.transition("b4_join")].immediate);
    CHECK_FALSE(net[*nodes.transition("b4_done")].immediate);
    CHECK_FALSE(nodes.transition("b1_fork"));
    // b4 takes two of the three spare units: one for the wavefront of a side, and one that the false side may
    // use.
    const Arc taken{*nodes.transition("b4_fork"), ArcKind::input, *nodes.place("units"), 2};
    const auto arcs = net.arcs_of(taken.transition);
    CHECK(std::find(arcs.begin(), arcs.end(), taken) != arcs.end());
    CHECK(nodes.place("b4_false_units"));
    CHECK_FALSE(nodes.place("b4_true_units"));
}

TEST_CASE("annotations whose units do not add up are refused") {
    const netgen::StructuredCfg cfg = figure_2();
    const std::vector<std::string> splits = {"b4", "b6"};
    const netgen::SplitSet set = netgen::split_set(cfg, splits);
    CHECK(netgen::unit_demand(cfg, set) == 3);
    CHECK_THROWS_WITH(netgen::annotate(cfg, set, 2), Contains("takes 3") && Contains("2 are there"));
    CHECK_THROWS_AS(netgen::annotate(cfg, set, 0), InputError);
    CHECK_THROWS_AS(netgen::annotate(cfg, netgen::SplitSet(3), 2), InputError);

    const netgen::CfgAnnotation good = netgen::annotate(cfg, set, 3);
    netgen::CfgAnnotation greedy = good;
    greedy.blocks[index(*cfg.find("b4"))].true_units = 2;
    CHECK_THROWS_WITH(netgen::cfg_net(cfg, greedy), Contains("side of 'b4'") && Contains("2 units"));
    netgen::CfgAnnotation rich = good;
    rich.blocks[index(*cfg.find("b9"))].units = 3;
    CHECK_THROWS_WITH(netgen::cfg_net(cfg, rich), Contains("'b9' holds 3 units"));
    netgen::CfgAnnotation astray = good;
    astray.blocks[index(*cfg.find("b9"))].split = true;
    CHECK_THROWS_WITH(netgen::cfg_net(cfg, astray), Contains("'b9'") && Contains("no branch"));
    CHECK_THROWS_AS(netgen::cfg_net(figure_2(), netgen::CfgAnnotation{}), InputError);
}

TEST_CASE("the net of ten thousand nested branches is built and run") {
    const netgen::StructuredCfg cfg = nest(10'000);
    netgen::SplitSet outermost(cfg.size(), false);
    for (std::size_t i = 0; i < 10; ++i) outermost[index(cfg.branches()[i])] = true;
    const auto run = count_steps(netgen::cfg_net(cfg, netgen::annotate(cfg, outermost, 11)));
    REQUIRE(run);
    CHECK(run->steps > 10'000);
}
