#include "engine/base/text.hpp"

#include "engine/base/to_json.hpp"

#include <array>
#include <cstdint>

#include <catch2/catch.hpp>

using namespace warpnet;

TEST_CASE("edit distance") {
    CHECK(edit_distance("", "") == 0);
    CHECK(edit_distance("run", "") == 3);
    CHECK(edit_distance("", "run") == 3);
    CHECK(edit_distance("kitten", "sitting") == 3);
    CHECK(edit_distance("--runs", "--rns") == 1);
    CHECK(edit_distance("--runs", "--rnus") == 1);
    CHECK(edit_distance("ca", "abc") == 3);  // no other change within an exchange
    CHECK(edit_distance("abc", "abc") == 0);
}

TEST_CASE("the most similar word") {
    const std::array<std::string, 3> words = {"time", "threads", "blocks"};
    CHECK(most_similar("tiem", words) == "time");
    CHECK(most_similar("thread", words) == "threads");
    CHECK(most_similar("priority", words).empty());
    const std::array<std::string, 4> flags = {"--sms", "--schedulers", "--schedule", "--scratch"};
    CHECK(most_similar("--sched", flags) == "--schedule");
    CHECK(most_similar("--scr", flags) == "--scratch");
    const std::array<std::string, 4> limits = {"sms", "threads_per_sm", "blocks_per_sm", "shared_per_sm"};
    CHECK(most_similar("max_blocks", limits) == "blocks_per_sm");
    CHECK(most_similar("max_block", limits).empty());     // a part of a name, not of its letters
    CHECK(most_similar("--s", flags) != "--schedulers");  // a single letter begins many names
}

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

TEST_CASE("whole numbers of a text have thousands separators") {
    CHECK(grouped_digits("7") == "7");
    CHECK(grouped_digits("-1234567") == "-1,234,567");
    CHECK(grouped_digits("-20000.1234") == "-20,000.1234");
    CHECK(grouped_digits("1e+06") == "1e+06");
    CHECK(grouped_digits("inf") == "inf");
    CHECK(with_grouped_numbers("at most 6102 steps, 15670.") == "at most 6,102 steps, 15,670.");
    for (const char* same :
         {"", "999 steps", "RTX5070", "0.12345", "C=1000,L=2000", "w1_12345", "2026-11-29"})
        CHECK(with_grouped_numbers(same) == same);
}

TEST_CASE("what no document may hold can be seen") {
    CHECK(visible("a b\n\tc, \xc3\xa9 \xf0\x9f\x98\x80") == "a b\n\tc, \xc3\xa9 \xf0\x9f\x98\x80");
    CHECK(visible("\x1b[1m\x7f\r") == "\\u001b[1m\\u007f\\u000d");
    CHECK(visible("\xc2\x85") == "\\u0085");
    // No UTF-8: a lone byte, a cut character, an overlong form, a surrogate.
    CHECK(visible("k\xff\xfe") == "k\\xff\\xfe");
    CHECK(visible("\xe2\x82") == "\\xe2\\x82");
    CHECK(visible("\xc0\x80") == "\\xc0\\x80");
    CHECK(visible("\xed\xa0\x80") == "\\xed\\xa0\\x80");
    // Characters that XML forbids.
    CHECK(visible("\xef\xbf\xbe\xef\xbf\xbf") == "\\ufffe\\uffff");
    CHECK(visible(std::string("\0", 1)) == "\\u0000");
}

TEST_CASE("JSON holds names of any bytes") {
    const nlohmann::ordered_json value{{"k\xff", "a\x01\xfe"}};
    CHECK(json_text(value) == "{\"k\xef\xbf\xbd\":\"a\\u0001\xef\xbf\xbd\"}");
    CHECK(json_text(value, 2) == "{\n  \"k\xef\xbf\xbd\": \"a\\u0001\xef\xbf\xbd\"\n}");
    CHECK(json_line(value) == json_text(value) + "\n");
}
