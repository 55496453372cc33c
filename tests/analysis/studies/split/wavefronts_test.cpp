// Many wavefronts on SIMD units, judged by serving them one by one.
#include "analysis/studies/split/wavefronts.hpp"

#include "engine/base/random.hpp"
#include "engine/net/error.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/cfg_samples.hpp"

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

constexpr studies::UnitRule reuse = studies::UnitRule::reuse;

/// The end of the last wavefront if each takes the first free group of `units` of all units.
template <class TimeOf>
std::int64_t served(std::int64_t wavefronts, std::int64_t all_units, netgen::Units units, TimeOf&& time_of) {
    std::vector<std::int64_t> free_at;
    for (std::int64_t left = all_units; left >= units; left -= units) free_at.push_back(0);
    std::int64_t end = 0;
    for (std::int64_t k = 0; k < wavefronts; ++k) {
        const auto first = std::ranges::min_element(free_at);
        *first += time_of();
        end = std::max(end, *first);
    }
    return end;
}

}  // namespace

TEST_CASE("wavefronts: Figure 2 with one reserved unit for each SIMD unit") {
    // One wavefront takes 20, 15 and 13 with 1, 2 and 3 units. Four SIMD units have four reserved ones.
    const auto divisions = studies::unit_divisions(figure_2(), 9, 4, 1, reuse);
    REQUIRE(divisions.size() == 3);
    CHECK(divisions[0] ==
          studies::UnitDivision{.units = 1, .at_a_time = 8, .rounds = 2, .wcet = 20, .time = 40});
    CHECK(divisions[1] ==
          studies::UnitDivision{.units = 2, .at_a_time = 4, .rounds = 3, .wcet = 15, .time = 45});
    CHECK(divisions[2] ==
          studies::UnitDivision{.units = 3, .at_a_time = 2, .rounds = 5, .wcet = 13, .time = 65});
    CHECK(studies::best_division(divisions).units == 1);
    // With few wavefronts the reserved units pay.
    CHECK(studies::best_division(studies::unit_divisions(figure_2(), 4, 4, 1, reuse)).units == 2);
    CHECK(studies::best_division(studies::unit_divisions(figure_2(), 2, 4, 1, reuse)).units == 3);
    CHECK_THROWS_AS(studies::unit_divisions(figure_2(), 0, 4, 1, reuse), InputError);
    CHECK_THROWS_AS(studies::unit_divisions(figure_2(), 1, 0, 1, reuse), InputError);
    CHECK_THROWS_AS(studies::unit_divisions(figure_2(), 1, 1, -1, reuse), InputError);
}

TEST_CASE("wavefronts: no order of service takes longer, 1,000 graphs") {
    std::uint64_t shared = 0;
    for (std::uint64_t seed = 0; seed < case_count(1000); ++seed) {
        CAPTURE(seed);
        const netgen::StructuredCfg cfg = random_cfg(seed, 5);
        CounterRandom random(seed, 3);
        const std::int64_t wavefronts = 1 + random.below(20), simds = 1 + random.below(4),
                           spare = random.below(4);
        const auto rule = random.below(2) == 0 ? reuse : studies::UnitRule::paper;
        const auto divisions = studies::unit_divisions(cfg, wavefronts, simds, spare, rule);
        REQUIRE_FALSE(divisions.empty());
        std::int64_t least = divisions.front().time;
        for (const studies::UnitDivision& one : divisions) {
            CAPTURE(one.units);
            const std::int64_t all = simds * (spare + 1);
            REQUIRE(one.wcet == studies::best_split(cfg, one.units, rule).wcet);
            REQUIRE(served(wavefronts, all, one.units, [&] { return one.wcet; }) == one.time);
            const auto shorter = [&] {
                return static_cast<std::int64_t>(random.below(static_cast<std::uint32_t>(one.wcet) + 1));
            };
            for (int draw = 0; draw < 3; ++draw)
                REQUIRE(served(wavefronts, all, one.units, shorter) <= one.time);
            least = std::min(least, one.time);
        }
        // More units than the table has leave a wavefront as it is.
        REQUIRE(studies::best_split(cfg, divisions.back().units + 1, rule).wcet >=
                (divisions.back().units == simds * (spare + 1) ? 0 : divisions.back().wcet));
        REQUIRE(studies::best_division(divisions).time == least);
        shared += studies::best_division(divisions).units > 1 ? 1U : 0U;
    }
    CHECK(shared >= case_count(1000) / 20);
    WARN("in " << shared << " graphs a wavefront has more than one unit");
}
