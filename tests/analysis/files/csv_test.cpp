#include "analysis/files/csv.hpp"

#include "engine/net/error.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using Fields = std::vector<std::string>;

TEST_CASE("CSV rows") {
    const auto rows = parse_csv("a,b\r\n\n\"x,\"\"y\"\"\",\"two\nlines\"\n,\nlast", "test");
    REQUIRE(rows.size() == 4);
    CHECK(rows[0].fields == Fields{"a", "b"});
    CHECK(rows[1].fields == Fields{"x,\"y\"", "two\nlines"});
    CHECK(rows[1].line == 3);
    CHECK(rows[2].fields == Fields{"", ""});
    CHECK(rows[2].line == 5);
    CHECK(rows[3].fields == Fields{"last"});
    CHECK(parse_csv("", "test").empty());
}

TEST_CASE("a field that is written can be read") {
    for (const std::string text : {"plain", "with,comma", "with \"quote\"", "two\nlines", ""}) {
        CAPTURE(text);
        CHECK(parse_csv("x," + csv_field(text) + "\n", "test").at(0).fields == Fields{"x", text});
    }
}

TEST_CASE("broken CSV is refused with its line") {
    CHECK_THROWS_WITH(parse_csv("a\n\"b", "f.csv"), "f.csv:2: a quote is opened and not closed");
    CHECK_THROWS_WITH(parse_csv("a\n\"b\"c\n", "f.csv"), "f.csv:2: expected ',' after a closing quote");
    CHECK_THROWS_AS(parse_csv("\"", "f.csv"), InputError);
}
