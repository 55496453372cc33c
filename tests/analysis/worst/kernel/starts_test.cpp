#include "analysis/worst/kernel/precedence_string.hpp"
#include "analysis/worst/kernel/schedulers.hpp"
#include "tests/support/kernel_vectors.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace warpnet;

TEST_CASE("start strings by hand") {
    const netgen::KernelInstance instance{.warps = 3, .type = {1, 0}, .capacity = {1, 1}};
    CHECK(worst::round_robin_string(instance) == worst::PrecedenceString{0, 1, 2, 0, 1, 2});
    CHECK(worst::fixed_priority_string(instance) == worst::PrecedenceString{0, 0, 1, 1, 2, 2});
    // Cycle 1: L of warp 0, list 1 2 0. Cycle 2: L of 1 and C of 0, list 2 1. Cycle 3: L of 2, C of 1. Cycle
    // 4: C of 2.
    CHECK(worst::most_pending_string(instance) == worst::PrecedenceString{0, 1, 0, 2, 1, 2});
}

TEST_CASE("the paper's example of the most pending warp first") {
    // Section VI-C: after cycle 1 the list is 2 3 1, in cycle 2 it becomes 3 1 2 and then 3 2 1.
    const netgen::KernelInstance instance{.warps = 3, .type = {1, 0, 1}, .capacity = {1, 1}};
    const worst::PrecedenceString string = worst::most_pending_string(instance);
    CHECK(worst::PrecedenceString(string.begin(), string.begin() + 5) ==
          worst::PrecedenceString{0, 1, 0, 2, 1});
}

TEST_CASE("a random start is a function of seed and stream") {
    const netgen::KernelInstance instance{.warps = 5, .type = {0, 1, 0, 1}, .capacity = {1, 1}};
    const worst::PrecedenceString string = worst::random_string(instance, 3, 4);
    CHECK_NOTHROW(worst::check_precedence_string(instance, string));
    CHECK(string == worst::random_string(instance, 3, 4));
    CHECK(string != worst::random_string(instance, 3, 5));
    CHECK(string != worst::random_string(instance, 4, 4));
}

TEST_CASE("round-robin alone takes 163 cycles on the paper's kernel with four schedulers") {
    const netgen::KernelInstance instance = netgen::normalise(warpnet::testing::voronoi(16, 4));
    CHECK(worst::SerialScheduler(instance).reset(worst::round_robin_string(instance)) == 163);
}

TEST_CASE("the start most-pending is a schedule cycle by cycle") {
    const netgen::KernelInstance instance = netgen::normalise(warpnet::testing::voronoi(7, 4));
    const worst::PrecedenceString string = worst::most_pending_string(instance);
    const worst::KernelSchedule schedule = decode(instance, string, worst::StringReading::maximal_step);
    CHECK(check_schedule(instance, schedule) == "");
    std::vector<std::vector<worst::Warp>> cycles;
    std::size_t p = 0;
    for (const auto& cycle : schedule) {
        std::vector<int> expected;
        for (const worst::InstructionRun& execution : cycle) expected.push_back(execution.warp);
        std::vector<int> letters;
        for (std::size_t i = 0; i < cycle.size(); ++i) letters.push_back(string[p++]);
        std::sort(letters.begin(), letters.end());
        CHECK(letters == expected);
    }
}
