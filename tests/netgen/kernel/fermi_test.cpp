#include "netgen/kernel/fermi.hpp"

#include "engine/net/error.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;

TEST_CASE("fermi: the template's string and levels") {
    const KernelSpec fair = fermi_kernel({.threads = 33, .repeat = 2});
    CHECK(fair.string == "CLLCLLCL");
    CHECK(fair.warps == 3);
    CHECK(fair.level == std::vector<int>{1, 1, 1, 1, 2, 2, 2, 2});
    CHECK(fermi_kernel({.threads = 16, .repeat = 2, .fairness = FermiFairness::own_levels}).level ==
          std::vector<int>{0, 1, 1, 1, 2, 2, 2, 3});
    CHECK(fermi_kernel({.threads = 16, .repeat = 2, .fairness = FermiFairness::none}).level.empty());
    CHECK(normalise(fair).capacity == std::vector<int>{2, 1});
}

TEST_CASE("fermi: the closed form") {
    // [Raravi10] section III: 64 threads take 14 cycles, and 8 more for each further repetition.
    CHECK(fermi_bound(64, 1) == 14);
    CHECK(fermi_bound(64, 2) == 22);
    CHECK(fermi_bound(49, 1) == 14);
    CHECK(fermi_bound(48, 1) == 11);
    const std::vector<std::int64_t> threads{16, 64, 32};
    CHECK(fermi_kernel_bound(threads, 3) == 30);
}

TEST_CASE("fermi: numbers out of range are refused") {
    CHECK_THROWS_AS(fermi_bound(0, 1), InputError);
    CHECK_THROWS_AS(fermi_bound(16, 0), InputError);
    CHECK_THROWS_AS(fermi_bound(16, 2'000'000'000), InputError);
    CHECK_THROWS_AS(fermi_kernel_bound({}, 1), InputError);
    CHECK_THROWS_AS(fermi_kernel({.threads = 0}), InputError);
    CHECK_THROWS_AS(fermi_kernel({.repeat = -1}), InputError);
}
