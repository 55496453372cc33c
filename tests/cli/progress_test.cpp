#include "cli/progress.hpp"

#include <catch2/catch.hpp>

using namespace warpnet::cli;

TEST_CASE("a progress line tells how much, how fast and how long") {
    CHECK(progress_line("runs", 0, 10, 3) == "0 of 10 runs, 0:03 so far");
    CHECK(progress_line("runs", 250, 1000, 10) == "250 of 1000 runs, 25 %, 25 runs/s, 0:30 left");
    CHECK(progress_line("runs", 1, 7200, 1) == "1 of 7200 runs, 0 %, 1 runs/s, 1:59:59 left");
    CHECK(progress_line("runs", 10, 10, 2) == "10 of 10 runs, 100 %, 5 runs/s, 0:00 left");
}
