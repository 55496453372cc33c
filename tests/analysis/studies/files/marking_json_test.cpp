#include "analysis/studies/files/marking_json.hpp"

#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "tests/support/unknown_parts.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

Marking read(const char* text) {
    NetBuilder net("two");
    net.add_place("p", 5);
    net.add_place("q");
    return studies::read_marking_json(text, "m.json", net.build());
}

}  // namespace

TEST_CASE("a marking as JSON") {
    CHECK(read("{}") == Marking{0, 0});
    CHECK(read(R"({"q": 3})") == Marking{0, 3});
    CHECK(read(R"({"results": [{"marking": {"p": 1}}, {"marking": {"p": 2}}]})") == Marking{1, 0});
    CHECK(read(R"({"p": 9223372036854775807})") == Marking{max_tokens, 0});
}

TEST_CASE("what is no marking is refused") {
    CHECK_THROWS_WITH(read(R"({"r": 1})"), "m.json: expected a place of net 'two', found 'r'");
    CHECK_THROWS_WITH(read(R"({"p": -1})"), "m.json: expected a number of tokens for place 'p', found -1");
    CHECK_THROWS_AS(read(R"({"p": 9223372036854775808})"), InputError);
    CHECK_THROWS_AS(read(R"({"p": 1.5})"), InputError);
    CHECK_THROWS_AS(read(R"({"p": "1"})"), InputError);
    CHECK_THROWS_AS(read("[1, 2]"), InputError);
    CHECK_THROWS_AS(read(R"({"results": []})"), InputError);
    CHECK_THROWS_WITH(read("{\n\"p\": 1,,}"), Catch::StartsWith("m.json:2: no JSON: parse error at line 2"));
    CHECK_THROWS_AS(read(""), InputError);
    CHECK_THROWS_WITH(read(R"({"p": 1e999})"), "m.json: number overflow parsing '1e999'");
}

TEST_CASE("unknown parts: a marking as JSON") {
    warpnet::testing::check_unknown_parts(
        R"({"p": 1, "q": 2})", warpnet::testing::insert_member, 500,
        [](const std::string& text, std::vector<std::string>&) { read(text.c_str()); });
}
