#include "analysis/studies/files/trace.hpp"

#include "engine/net/net_builder.hpp"
#include "engine/plan.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace warpnet;

namespace {

Net pump() {
    NetBuilder net("pump");
    const PlaceId p = net.add_place("p", 2);
    const PlaceId q = net.add_place("q");
    const TransitionId t = net.add_transition("t");
    net.add_input(p, t);
    net.add_output(t, q);
    return net.build();
}

std::string traced(studies::TraceFormat format, Semantics semantics = Semantics::maximal) {
    studies::Trace trace(pump(), format);
    run(compile(pump()), {.semantics = semantics}, &trace);
    return trace.finish();
}

}  // namespace

TEST_CASE("a trace as CSV has a row per step and a column per place") {
    CHECK(traced(studies::TraceFormat::csv) == "step,immediate,fired,p,q\n0,0,,2,0\n1,0,t,1,1\n2,0,t,0,2\n");
    CHECK(traced(studies::TraceFormat::csv, Semantics::multiset) ==
          "step,immediate,fired,p,q\n0,0,,2,0\n1,0,t*2,0,2\n");
}

TEST_CASE("a trace as JSON") {
    const auto json = nlohmann::json::parse(traced(studies::TraceFormat::json));
    CHECK(json["net"] == "pump");
    REQUIRE(json["trace"].size() == 3);
    CHECK(json["trace"][1] ==
          nlohmann::json::parse(R"({"step":1,"immediate":false,"fired":{"t":1},"marking":{"p":1,"q":1}})"));
    CHECK(json["trace"][2]["marking"] == nlohmann::json{{"q", 2}});
}

TEST_CASE("a trace as JSON lines has the same objects") {
    const auto json = nlohmann::json::parse(traced(studies::TraceFormat::json));
    const std::string found = traced(studies::TraceFormat::json_lines);
    CHECK(std::count(found.begin(), found.end(), '\n') == 3);
    CHECK(nlohmann::json::parse(found.substr(0, found.find('\n'))) == json["trace"][0]);
}
