#include "engine/base/parse_number.hpp"

#include <cstdint>

#include <catch2/catch.hpp>

using namespace warpnet;

TEST_CASE("whole numbers are decimal, complete and in range") {
    CHECK(parse_number<std::int64_t>("0") == 0);
    CHECK(parse_number<std::int64_t>("010") == 10);
    CHECK(parse_number<std::int64_t>("-3") == -3);
    CHECK(parse_number<std::int64_t>("9223372036854775807") == 9223372036854775807);
    for (const char* text : {"", " 1", "1 ", "+1", "1.0", "1e3", "0x10", "9223372036854775808", "one"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_number<std::int64_t>(text));
    }
}
