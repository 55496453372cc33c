#include "cli/shell/usage_message.hpp"

#include <catch2/catch.hpp>

using namespace warpnet::cli;

TEST_CASE("edit distance") {
    CHECK(edit_distance("", "") == 0);
    CHECK(edit_distance("run", "") == 3);
    CHECK(edit_distance("", "run") == 3);
    CHECK(edit_distance("kitten", "sitting") == 3);
    CHECK(edit_distance("--runs", "--rns") == 1);
    CHECK(edit_distance("abc", "abc") == 0);
}
