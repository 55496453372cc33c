#include "netgen/cfg/dot.hpp"

#include "engine/net/error.hpp"
#include "tests/support/cfg_samples.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;
using Catch::Matchers::Contains;

TEST_CASE("the picture of a small annotated graph") {
    CfgSketch sketch;
    const BlockId a = sketch.block(5);
    const BlockId branch = sketch.branch(2, {a}, {});
    const StructuredCfg cfg = sketch.build({branch});
    const std::vector<std::string> splits = {"b2"};
    CHECK(cfg_dot(cfg, annotate(cfg, split_set(cfg, splits), 2)) == R"(digraph cfg {
  node [shape=box, fontname="DejaVu Sans"];
  edge [fontname="DejaVu Sans", fontsize=10];
  start [shape=point];
  end [shape=doublecircle, label="", width=0.12];
  start -> n1;
  n1 [label="b2\n2", shape=diamond, style=filled, fillcolor="#ffd37a"];
  m1 [shape=point, width=0.1, xlabel="merge b2"];
  m1 -> end;
  n1 -> n0 [label="T: 1 unit"];
  n1 -> m1 [label="F: 1 unit"];
  n0 [label="b1\n5"];
  n0 -> m1;
}
)");
    CHECK_THAT(cfg_dot(cfg), Contains("n1 -> end [label=\"F\"]") && Contains("n0 -> end"));
}

TEST_CASE("names are escaped in pictures") {
    const StructuredCfg cfg({{"a\"b\\", 1}}, {BlockId(0)});
    CHECK_THAT(cfg_dot(cfg), Contains(R"(label="a\"b\\\n1")"));
}

TEST_CASE("a picture wants an annotation that fits") {
    CHECK_THROWS_AS(cfg_dot(figure_2(), CfgAnnotation{}), InputError);
}
