#include "engine/input/flag_items.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;

TEST_CASE("whole numbers may have powers of ten, thousands and separators") {
    CHECK(parse_count("0") == 0);
    CHECK(parse_count("-5") == -5);
    CHECK(parse_count("1e6") == 1'000'000);
    CHECK(parse_count("25E2") == 2'500);
    CHECK(parse_count("10k") == 10'000);
    CHECK(parse_count("2M") == 2'000'000);
    CHECK(parse_count("1_000_000") == 1'000'000);
    CHECK(parse_count("0e99") == 0);
    CHECK(parse_count("9223372036854775807") == 9'223'372'036'854'775'807);
    for (const char* text : {"", "k", "e6", "1e", "1e-2", "1.5k", "1__0", "_1", "1_", "10K", "1e19",
                             "9300000000G", "9223372036854775808", "99e99999999999999999", " 1", "1 "}) {
        CAPTURE(text);
        CHECK_FALSE(parse_count(text));
    }
}
