#include "engine/input/parse_json.hpp"

#include "engine/net/error.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

}  // namespace

TEST_CASE("JSON that nests too deep is refused with its position") {
    CHECK(parse_json(nested(most_json_depth), "x.json").is_array());
    CHECK_THROWS_WITH(parse_json(nested(most_json_depth + 1), "x.json"),
                      "x.json: line 1, column 1001: expected JSON nested at most 1000 deep");
    CHECK_THROWS_WITH(parse_json("{\"a\":\n" + nested(1'000'000) + "}", "x.json"),
                      Catch::StartsWith("x.json: line 2, column 1000: "));
    CHECK_THROWS_AS(parse_json(std::string(1'000'000, '['), "x.json"), InputError);
}

TEST_CASE("brackets in texts and side by side do not nest") {
    const std::string in_text = "[\"" + std::string(5000, '[') + "\\\"" + std::string(5000, '{') + "\"]";
    CHECK(parse_json(in_text, "x.json").at(0).get<std::string>().size() == 10'001);
    std::string side_by_side = "[[]";
    for (int i = 0; i < 5000; ++i) side_by_side += ",{}";
    CHECK(parse_json(side_by_side + "]", "x.json").size() == 5001);
}
