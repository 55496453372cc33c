#include "netgen/cfg/text.hpp"

#include "engine/net/error.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/cfg_samples.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;
using Catch::Matchers::Contains;

namespace {

std::string refusal(const std::string& text) {
    return input_error_of([&] { netgen::read_cfg_json(text, "g.json"); }, "accepted");
}

// A document with this one block next to a plain block "x".
std::string with_block(const std::string& block) {
    return R"({"blocks":[{"id":"x","time":1},)" + block + R"(],"root":["x","a"]})";
}

}  // namespace

TEST_CASE("a graph written as JSON reads back equal") {
    CHECK(netgen::read_cfg_json(netgen::write_cfg_json(figure_2()), "f") == figure_2());
    CHECK(netgen::read_cfg_json(netgen::write_cfg_json(nest(50)), "f") == nest(50));
}

TEST_CASE("a side may be absent or empty") {
    const netgen::StructuredCfg cfg = netgen::read_cfg_json(
        R"({"blocks":[{"id":"b1","time":3,"true":["b2"]},{"id":"b2","time":0,"true":[],"false":[]}],
                          "root":["b1"],"name":"if without else"})",
        "f");
    CHECK(cfg[netgen::BlockId(0)].is_branch());
    CHECK(cfg[netgen::BlockId(0)].false_side.empty());
    CHECK_FALSE(cfg[netgen::BlockId(1)].is_branch());
}

TEST_CASE("text that is no JSON is refused with line and column") {
    CHECK_THAT(refusal("{\"blocks\":[\n{\"id\" \"b1\"}]}"),
               Contains("g.json: parse error at line 2, column"));
    CHECK_THAT(refusal(""), Contains("found an empty file"));
    CHECK_THAT(refusal("{} {}"), Contains("parse error"));
    CHECK_THAT(refusal("{\"blocks\":[\"\xff\"]}"), Contains("parse error"));
    CHECK_THAT(refusal(std::string(200'000, '[')), Contains("parse error"));
    CHECK_THAT(refusal(R"({"root":[],"root":[],"blocks":[]})"),
               Contains("expected member 'root' once, found it twice"));
}

TEST_CASE("wrong content is refused with its path, what was expected and what was found") {
    CHECK_THAT(refusal("[]"), Contains("g.json: expected an object, found []"));
    CHECK_THAT(refusal(R"({"blocks":[]})"), Contains("expected member 'root'"));
    CHECK_THAT(refusal(R"({"root":[]})"), Contains("expected member 'blocks'"));
    CHECK_THAT(refusal(R"({"root":[],"blocks":{}})"),
               Contains("g.json:1: blocks: expected an array, found {}"));
    CHECK_THAT(refusal(R"({"root":["a"],"blocks":[{"id":"a","time":1}],"edges":[]})"),
               Contains("unknown member 'edges'"));
    CHECK_THAT(refusal(with_block("7")), Contains("blocks[1]: expected an object, found 7"));
    CHECK_THAT(refusal(with_block(R"({"time":1})")), Contains("blocks[1]: expected member 'id'"));
    CHECK_THAT(refusal(with_block(R"({"id":"a"})")), Contains("blocks[1]: expected member 'time'"));
    CHECK_THAT(refusal(with_block(R"({"id":1,"time":1})")),
               Contains("blocks[1].id: expected a text, found 1"));
    CHECK_THAT(refusal(with_block(R"({"id":"x","time":1})")),
               Contains("blocks[1].id: block id 'x' is used twice"));
    CHECK_THAT(refusal(with_block(R"({"id":"a","time":1,"ture":[]})")),
               Contains("blocks[1]: unknown member 'ture'"));
    CHECK_THAT(refusal(with_block(R"({"id":"a","time":1,"true":["x"],"false":["y"]})")),
               Contains("blocks[1].false[0]: expected the id of a block in 'blocks', found \"y\""));
    CHECK_THAT(refusal(with_block(R"({"id":"a","time":1,"true":[0]})")),
               Contains("blocks[1].true[0]: expected a text, found 0"));
    CHECK_THAT(refusal(with_block(R"({"id":"a","time":1,"true":"x"})")),
               Contains("blocks[1].true: expected an array, found \"x\""));
    CHECK_THAT(refusal(R"({"blocks":[{"id":"a","time":1}],"root":["a","b"]})"),
               Contains("root[1]: expected the id of a block in 'blocks', found \"b\""));
}

TEST_CASE("a time is a whole number that a net can hold") {
    for (const std::string time : {"-1", "1.5", "1e30", "9223372036854775808", "\"3\"", "null"}) {
        CAPTURE(time);
        CHECK_THAT(refusal(with_block(R"({"id":"a","time":)" + time + "}")),
                   Contains("blocks[1].time: expected a whole number of at least 0"));
    }
    CHECK(refusal(with_block(R"({"id":"a","time":9223372036854775806})")) == "accepted");
    CHECK_THAT(refusal(with_block(R"({"id":"a","time":9223372036854775807})")),
               Contains("g.json: the times") && Contains("add up to more than"));
}

TEST_CASE("cycles and strays in JSON are refused") {
    CHECK_THAT(refusal(R"({"blocks":[{"id":"a","time":1},{"id":"b","time":1,"true":["c"]},
                                     {"id":"c","time":1,"true":["b"]}],"root":["a"]})"),
               Contains("cycle"));
    CHECK_THAT(refusal(R"({"blocks":[{"id":"a","time":1},{"id":"b","time":1}],"root":["a"]})"),
               Contains("'b' is in no sequence"));
}

TEST_CASE("the picture of a small annotated graph") {
    CfgSketch sketch;
    const netgen::BlockId a = sketch.block(5);
    const netgen::BlockId branch = sketch.branch(2, {a}, {});
    const netgen::StructuredCfg cfg = sketch.build({branch});
    const std::vector<std::string> splits = {"b2"};
    CHECK(netgen::cfg_dot(cfg, netgen::annotate(cfg, netgen::split_set(cfg, splits), 2)) == R"(digraph cfg {
  node [shape=box, fontname="DejaVu Sans", fontsize=12, color="#888888", fontcolor="#24292f"];
  edge [fontname="DejaVu Sans", fontsize=10, color="#24292f", fontcolor="#24292f", arrowsize=0.7];
  start [shape=point];
  end [shape=doublecircle, label="", width=0.12];
  start -> n1;
  n1 [label="b2\ntime 2", shape=diamond, style=filled, fillcolor="#ffd37a"];
  m1 [style=rounded, fontsize=10, height=0.25, margin="0.06,0.02", label="merge b2"];
  m1 -> end;
  n1 -> n0 [label="   T: 1 unit   "];
  n1 -> m1 [label="   F: 1 unit   "];
  n0 [label="b1\ntime 5"];
  n0 -> m1;
}
)");
    CHECK_THAT(netgen::cfg_dot(cfg), Contains("n1 -> end [label=\"   F   \"]") && Contains("n0 -> end"));
}

TEST_CASE("names are escaped in pictures") {
    const netgen::StructuredCfg cfg({{"a\"b\\", 1}}, {netgen::BlockId(0)});
    CHECK_THAT(netgen::cfg_dot(cfg), Contains(R"(label="a\"b\\\ntime 1")"));
}

TEST_CASE("a picture wants an annotation that fits") {
    CHECK_THROWS_AS(netgen::cfg_dot(figure_2(), netgen::CfgAnnotation{}), InputError);
}
