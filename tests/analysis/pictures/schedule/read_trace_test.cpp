#include "analysis/pictures/schedule/read_trace.hpp"

#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

Net one_of_each() {
    NetBuilder net("n");
    const PlaceId place = net.add_place("p", 1);
    net.add_input(place, net.add_transition("t"));
    return net.build();
}

std::string entry(const std::string& step, const std::string& times, const std::string& tokens) {
    return R"({"step":)" + step + R"(,"immediate":false,"fired":{"t":)" + times + R"(},"marking":{"p":)" +
           tokens + "}}\n";
}

}  // namespace

TEST_CASE("trace: an entry of JSON") {
    const auto frames = pictures::read_trace(entry("1", "2", "3"), "x", one_of_each());
    REQUIRE(frames.size() == 1);
    CHECK(frames[0].step == 1);
    CHECK(frames[0].fired.at(0).times == 2);
    CHECK(frames[0].marking.at(0) == 3);
}

TEST_CASE("trace: it begins as the net does") {
    const auto first = [](const std::string& tokens) {
        return R"({"step":0,"immediate":false,"fired":{},"marking":{"p":)" + tokens + "}}\n";
    };
    CHECK(pictures::read_trace(first("1") + entry("1", "1", "0"), "x", one_of_each()).size() == 2);
    CHECK_THROWS_WITH(
        pictures::read_trace(first("2") + entry("1", "1", "1"), "x", one_of_each()),
        "x: expected a trace of net 'n', which begins with 1 in 'p', found one that begins with 2");
}

TEST_CASE("trace: as many steps as an animation can show, and no more") {
    std::string text;
    for (int i = 0; i < 2000; ++i) text += entry("1", "1", "0");
    CHECK(pictures::read_trace(text, "x", one_of_each()).size() == 2000);
    CHECK_THROWS_WITH(pictures::read_trace(text + entry("1", "1", "0"), "x", one_of_each()),
                      Catch::StartsWith("x: expected at most 2000 steps to show, found 2001"));
}

TEST_CASE("trace: numbers that no count can be are refused") {
    const Net net = one_of_each();
    for (const std::string bad : {"-1", "0.5", "1e93", "33333333333333333333333", "\"1\"", "null"}) {
        CAPTURE(bad);
        CHECK_THROWS_AS(pictures::read_trace(entry(bad, "1", "1"), "x", net), InputError);
        CHECK_THROWS_AS(pictures::read_trace(entry("1", bad, "1"), "x", net), InputError);
        CHECK_THROWS_AS(pictures::read_trace(entry("1", "1", bad), "x", net), InputError);
    }
}
