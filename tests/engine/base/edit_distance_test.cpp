#include "engine/base/edit_distance.hpp"

#include <array>

#include <catch2/catch.hpp>

using namespace warpnet;

TEST_CASE("edit distance") {
    CHECK(edit_distance("", "") == 0);
    CHECK(edit_distance("run", "") == 3);
    CHECK(edit_distance("", "run") == 3);
    CHECK(edit_distance("kitten", "sitting") == 3);
    CHECK(edit_distance("--runs", "--rns") == 1);
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
    CHECK(most_similar("--s", flags) != "--schedulers");  // one letter is the beginning of anything
}
