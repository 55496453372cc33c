#include "cli/input/options.hpp"

#include <catch2/catch.hpp>

using namespace warpnet::cli;
using namespace std::chrono_literals;

TEST_CASE("times have a unit, or are seconds") {
    CHECK(parse_duration("500ms") == 500ms);
    CHECK(parse_duration("30s") == 30s);
    CHECK(parse_duration("1.5s") == 1500ms);
    CHECK(parse_duration("2m") == 2min);
    CHECK(parse_duration("1h") == 1h);
    CHECK(parse_duration("7") == 7s);
    for (const char* text : {"", "s", "-1s", "3 s", "3d", "nan", "inf", "1e300h"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_duration(text));
    }
}
