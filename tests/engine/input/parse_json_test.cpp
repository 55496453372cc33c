#include "engine/input/parse_json.hpp"

#include "engine/net/error.hpp"

#include <cctype>
#include <cstddef>
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

TEST_CASE("sealed JSON is read back, and not after a change") {
    const nlohmann::json saved = {{"kind", 3}, {"seconds", 0.1}, {"values", {1, 2, 3}}, {"name", "\xff\x1b"}};
    const std::string text = sealed_json(saved);
    const auto read = [](const std::string& changed) {
        return read_sealed_json(changed, "x.json", "kind", 3);
    };
    CHECK(sealed_json(read(text)) == text);
    CHECK(sealed_json(read(nlohmann::json::parse(text).dump(2))) == text);
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (std::isdigit(static_cast<unsigned char>(text[at])) == 0) continue;
        std::string changed = text;
        changed[at] = text[at] == '7' ? '8' : '7';
        CAPTURE(changed);
        CHECK_THROWS(read(changed));
    }
    std::string changed = text;
    changed.replace(changed.find("[1,2"), 4, "[1,5");
    CHECK_THROWS_WITH(read(changed), "x.json: damaged: the checksum is not that of its content");
    CHECK_THROWS_WITH(read_sealed_json(text, "", "kind", 4), "version 3; expected 4");
    CHECK_THROWS_AS(read(R"({"kind":3})"), nlohmann::json::exception);
    CHECK_THROWS_AS(read("[]"), nlohmann::json::exception);
}
