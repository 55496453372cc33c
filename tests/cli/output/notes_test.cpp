#include "cli/output/notes.hpp"

#include "engine/base/text.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;

TEST_CASE("messages show control characters, and lose the middle of long lines alone") {
    CHECK(cli::message_text("") == "");
    CHECK(cli::message_text("a\n\tb\n") == "a\n\tb\n");
    CHECK(cli::message_text("k\x1b[31m\xff") == "k\\u001b[31m\\xff");
    const std::string line = "file:1: expected a number, found '" + std::string(1'566, 'x');
    REQUIRE(line.size() == 1'600);
    CHECK(cli::message_text(line) == line);
    const std::string text =
        cli::message_text("first\n" + line + std::string(99, 'y') + "'; next step\nlast");
    CHECK_THAT(text, Catch::StartsWith("first\nfile:1: expected a number, found 'xxx"));
    CHECK_THAT(text, Catch::EndsWith("yyy'; next step\nlast"));
    CHECK_THAT(text, Catch::Contains("xxx … 111 bytes … "));
    std::string letters;
    for (int i = 0; i < 1'000; ++i) letters += "é";
    for (const std::string begin : {"", "a"}) {
        const std::string cut = cli::message_text(begin + letters);
        CHECK(visible(cut) == cut);  // no half of a character, which would be shown as \x..
    }
}
