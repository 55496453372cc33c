#include "engine/input/json.hpp"

#include "tests/support/bad_input.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// Reads {"name": text, "kernels": [{"time": n, "core": n}]}.
std::int64_t total_time(const JsonValue& root) {
    root.text_or("name", "");
    std::int64_t total = 0;
    for (const JsonValue& kernel : root.at("kernels").elements())
        total += kernel.at("time").integer(1, 100) + kernel.integer_or("core", 0);
    return total;
}

std::string error_of(const std::string& text) {
    return input_error_of([&] { read_json(text, "t.json", total_time); }, "read");
}

}  // namespace

TEST_CASE("JSON: what is read") {
    CHECK(read_json("\xEF\xBB\xBF{\"kernels\":[{\"time\":3,\"core\":1e1},{\"time\":4.0}],\"name\":\"x\"}",
                    "t.json", total_time) == 17);
    const bool kinds =
        read_json(R"({"a":true,"b":1.5,"c":-1,"d":{"z":1,"y":"2"}})", "k", [](const JsonValue& root) {
            const auto members = root.at("d").members();
            return root.at("a").boolean() && root.at("b").number() == 1.5 && root.at("c").number() == -1 &&
                   members.at(0).first == "z" && members.at(1).second.text() == "2" && root.is_object() &&
                   !root.find("e") && !root.boolean_or("e", false) && root.text_or("e", "f") == "f";
        });
    CHECK(kinds);
}

TEST_CASE("JSON: an unknown member is an error with its place") {
    CHECK(error_of("{\"kernels\":[\n{\"time\":3},\n{\"time\":3,\n\"tiem\":4}]}") ==
          "t.json:4: kernels[1]: unknown member 'tiem'; did you mean 'time'?");
    CHECK(error_of("{\"kernels\":[],\n\n\"colour\":{\"time\":1}}") == "t.json:3: unknown member 'colour'");
    CHECK(error_of("{\"kernels\":[],\"core\":1}") == "t.json:1: unknown member 'core'");
    CHECK(error_of(R"({"kernels":[{"time":1}],"core":1})") ==
          "t.json:1: unknown member 'core'; it has no meaning here");
    CHECK(error_of(R"({"kernels":[{"time":1,"comment":[1]}],"comment":"a","comment":"b"})") == "read");
    CHECK(input_error_of([] {
              read_json(R"({"all":[1,{"x":[]}]})", "t.json",
                        [](const JsonValue& root) { return root.has("other"); });
          }) == "t.json:1: unknown member 'all'");
    CHECK(input_error_of([] {
              read_json("{\"a\":[1,\n{\"x\":[]}]}", "t.json",
                        [](const JsonValue& root) { return root.at("a").is_array(); });
          }) == "t.json:1: a[0]: unknown element 1");
}

TEST_CASE("JSON: ignored members become one warning per kind") {
    constexpr IgnoredPart ignored[] = {
        {"kernels/colour", "pictures have their own colours"}, {"*/note", "not shown"}, {"log", ""}};
    std::vector<std::string> warnings;
    CHECK(read_json("{\"log\":{\"a\":1},\"kernels\":[{\"time\":1,\"note\":1},\n{\"time\":2,\"colour\":[1],"
                    "\"note\":2}]}",
                    "t.json", total_time, ignored, &warnings) == 3);
    CHECK(warnings ==
          std::vector<std::string>{
              "t.json:1: kernels[0]: member 'note' is ignored (2 times): not shown",
              "t.json:2: kernels[1]: member 'colour' is ignored: pictures have their own colours"});
    CHECK(input_error_of([&] {
              read_json(R"({"kernels":[{"time":1,"log":2}]})", "t.json", total_time, ignored);
          }) == "t.json:1: kernels[0]: unknown member 'log'");
}

TEST_CASE("JSON: wrong values say where they are, what was expected and found") {
    CHECK(error_of("{\"kernels\":[{\"time\":\n101\n}]}") ==
          "t.json:2: kernels[0].time: expected a whole number in 1..100, found 101");
    CHECK(error_of("{\"kernels\":[{\"time\":\n1.5\n}]}") ==
          "t.json:2: kernels[0].time: expected a whole number in 1..100, found 1.5");
    CHECK(error_of(R"({"kernels":[{"time":18446744073709551615}]})")
              .find("1..100, found 1.8446744073709552e+19") != std::string::npos);
    CHECK(error_of(R"({"kernels":[{"time":1,"core":9223372036854775808}]})").find("a whole number, found") !=
          std::string::npos);
    CHECK(error_of("[]") == "t.json: expected an object, found []");
    CHECK(error_of(R"({"kernels":{}})") == "t.json:1: kernels: expected an array, found {}");
    CHECK(error_of(R"({"kernels":[7]})") == "t.json:1: kernels[0]: expected an object, found 7");
    CHECK(error_of(R"({"kernels":[{"tiem":7}]})") ==
          "t.json:1: kernels[0]: expected member 'time', found 'tiem'");
    CHECK(error_of(R"({"kernels":[{"duration":7,"cores":2}]})") ==
          "t.json:1: kernels[0]: expected member 'time', found none among 'duration', 'cores'");
    CHECK(error_of(R"({"kernels":[{}]})") == "t.json:1: kernels[0]: expected member 'time', found none");
    CHECK(error_of(R"({"kernels":[{"time":null}]})").ends_with("found null"));
    CHECK(error_of(R"({"name":3})") == "t.json:1: name: expected a text, found 3");
}

TEST_CASE("JSON: malformed texts") {
    CHECK(error_of("{\n\"kernels\":,}").starts_with("t.json: parse error at line 2, column 11"));
    CHECK(error_of("") == "t.json: expected JSON, found an empty file");
    CHECK(error_of("# Tasks") == "t.json: expected JSON, found a text that begins with '# Tasks'");
    CHECK(error_of("{\n\"kernels\":[{\"na") ==
          "t.json: parse error at line 2, column 16: expected the rest of the JSON, found the end of the "
          "text, which may be cut off");
    CHECK(error_of("{\"kernels\":[{},\n{\"time\":1,\n\"time\":1}]}") ==
          "t.json:3: kernels[1]: expected member 'time' once, found it twice");
    CHECK(error_of(R"({"name":"a","name":"a"})") == "t.json:1: expected member 'name' once, found it twice");
    CHECK(error_of(R"({"kernels":[1e999]})").find("number overflow parsing '1e999'") != std::string::npos);
}

TEST_CASE("JSON: nesting may be as deep as the text is long") {
    const std::size_t depth = 100'000;
    const std::string deep = std::string(depth, '[') + std::string(depth, ']');
    CHECK(error_of("{\"kernels\":" + deep + "}")
              .starts_with("t.json:1: kernels[0]: expected an object, found [[["));
    CHECK(error_of("{\"kernels\":[],\"other\":" + deep + "}") == "t.json:1: unknown member 'other'");
    CHECK(error_of(deep).starts_with("t.json: expected an object"));
}
