#include "analysis/worst/kernel/schedule.hpp"

#include "tests/support/kernel_vectors.hpp"
#include "tests/support/shared_data.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// One line per warp, one column per cycle; every character except a dot is an execution.
worst::KernelSchedule from_lines(const std::vector<std::string>& lines) {
    worst::KernelSchedule schedule;
    for (std::size_t w = 0; w < lines.size(); ++w) {
        int instruction = 0;
        for (std::size_t c = 0; c < lines[w].size(); ++c) {
            if (c >= schedule.size()) schedule.emplace_back();
            if (lines[w][c] != '.') schedule[c].push_back({static_cast<int>(w), instruction++});
        }
    }
    return schedule;
}

/// LC with one unit of each kind.
const netgen::KernelInstance two_lc{.warps = 2, .type = {0, 1}, .capacity = {1, 1}};

}  // namespace

TEST_CASE("check_schedule: what a work-conserving scheduler does passes") {
    CHECK(worst::check_schedule(two_lc, from_lines({"LC", ".LC"})) == "");
}

TEST_CASE("check_schedule: every rule is checked and named") {
    CHECK(worst::check_schedule(two_lc, from_lines({"LC", "LC"})) ==
          "cycle 1: more instructions of type 0 than its capacity 1");
    CHECK(worst::check_schedule(two_lc, from_lines({"LC", "..LC"})) ==
          "cycle 2, warp 2, instruction 1: could have executed, the cycle is not maximal");
    CHECK(worst::check_schedule(two_lc, from_lines({"LC", ".L"})) == "warp 2 ends after 1 of 2 instructions");
    CHECK(worst::check_schedule(two_lc, from_lines({"L.", ".L"})) ==
          "cycle 2, warp 1, instruction 2: could have executed, the cycle is not maximal");
    CHECK(worst::check_schedule(two_lc, {{{0, 1}}}) ==
          "cycle 1, warp 1, instruction 2: instruction 1 is due");
    CHECK(worst::check_schedule(two_lc, {{{0, 0}, {0, 1}}}) ==
          "cycle 1, warp 1, instruction 2: the warp executes twice");
    CHECK(worst::check_schedule(two_lc, {{{2, 0}}}) == "cycle 1, warp 3, instruction 1: no such warp");
    CHECK(worst::check_schedule(two_lc, {{{0, 0}}}) == "warp 1 ends after 1 of 2 instructions");
    netgen::KernelInstance one_scheduler = two_lc;
    one_scheduler.schedulers = 1;
    CHECK(worst::check_schedule(one_scheduler, from_lines({"LC", ".LC"})) ==
          "cycle 2: more instructions than 1 schedulers");
    CHECK(worst::check_schedule(one_scheduler, from_lines({"LC", "..LC"})) == "");
}

TEST_CASE("check_schedule: a lower fairness level goes first") {
    // One unit for both instructions: after the first warp's A, the second warp's A must precede its B.
    const netgen::KernelInstance fair{.warps = 2, .type = {0, 0}, .capacity = {1}, .level = {1, 2}};
    CHECK(worst::check_schedule(fair, from_lines({"A.B", ".A.B"})) == "");
    CHECK(worst::check_schedule(fair, from_lines({"AB", "..AB"})) ==
          "cycle 2, warp 2, instruction 1: could have executed, the cycle is not maximal");
}

TEST_CASE("check_schedule: the witness of 184 cycles for 16 warps of the case study") {
    const auto path = shared_data("vectors/witness_voronoi_w16_sigma4.txt");
    SKIP_WITHOUT(path, "vectors/witness_voronoi_w16_sigma4.txt");
    std::ifstream file(*path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    const worst::KernelSchedule schedule = from_lines(lines);
    CHECK(schedule.size() == 184);
    CHECK(worst::check_schedule(netgen::normalise(voronoi(16, 4)), schedule) == "");
}
