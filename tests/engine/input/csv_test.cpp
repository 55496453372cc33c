#include "engine/input/csv.hpp"

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

TEST_CASE("tables as people make them: separators, blanks, capitals") {
    const std::vector<Fields> expected = {{"kernel", "time_us"}, {"copy(int, int)", "4.1"}, {"b", "12"}};
    for (const std::string text :
         {"kernel,time_us\n\"copy(int, int)\",4.1\nb,12\n", "Kernel; TIME_us \ncopy(int, int); 4,1\nb;12\n",
          " kernel\tTime_us\r\ncopy(int, int)\t4.1\r\n\t\r\nb \t 12",
          "sep=;\nkernel;time_us\ncopy(int, int);4.1\nb;12",
          "sep=|\r\nkernel|time_us\r\ncopy(int, int)|4.1\r\nb|12\r\n",
          "==PROF== a message, a word\nkernel;time_us\ncopy(int, int);4,1\n;;\nb;12\n"}) {
        CAPTURE(text);
        std::vector<Fields> found;
        for (const CsvRow& row : parse_table(text, "t.csv")) found.push_back(row.fields);
        CHECK(found == expected);
    }
    CHECK(parse_table("sep=;\na;b\n1;2\n", "t.csv").at(1).line == 3);
    CHECK(parse_table("", "t.csv").empty());
    CHECK(parse_table("\n \n", "t.csv").empty());
}

TEST_CASE("commas in numbers between semicolons and tabs are decimal") {
    const auto value = [](const std::string& text, char separator) {
        return parse_table(std::string("kernel") + separator + "x\nk" + separator + text + "\n", "t.csv")
            .at(1)
            .fields.at(1);
    };
    CHECK(value("4,1", ';') == "4.1");
    CHECK(value("4,125", ';') == "4.125");
    CHECK(value("1.234,5", ';') == "1234.5");
    CHECK(value("1,234.5", ';') == "1,234.5");
    CHECK(value("99,5%", '\t') == "99.5%");
    CHECK(value("1,2,3", ';') == "1,2,3");
    CHECK(value("$L=1,b=2", ';') == "$L=1,b=2");
    CHECK_THROWS_WITH(value("4,125", '\t'), Catch::StartsWith("t.csv:2: '4,125' may be a thousand times"));
    CHECK(value("4,1250", '\t') == "4.1250");
    CHECK_THROWS_WITH(parse_table("a;B;b\n", "t.csv"), "t.csv:1: column 'b' appears twice");
}
