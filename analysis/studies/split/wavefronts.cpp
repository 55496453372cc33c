// Many wavefronts on the SIMD units of a compute unit. [Klashtorny24] reserves S units for each of N_SIMD
// SIMD units, so that N_SIMD wavefronts run at a time and each may use S + 1 units. More units shorten a
// wavefront and leave room for fewer of them; unit_divisions() tries every number of units.
//
// A free group of units takes the next wavefront. The bound rounds * WCET holds for any times up to the WCET:
// wavefront k, counted from 0, starts by t = floor(k / m) * WCET on m groups. Proof by induction: the
// wavefronts below m * floor(k / m) have ended by t, and at most m - 1 others precede k. If all wavefronts
// take the WCET, the bound is the time. O(blocks * units), by one table for all divisions.
//
// The bound is about wavefronts that keep their units to their end. Contexts that switch while a wavefront
// waits for memory, and units that several wavefronts share, are not covered.

#include "analysis/studies/split/wavefronts.hpp"

#include "engine/base/round_up.hpp"
#include "engine/net/error.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpnet::studies {

namespace {

constexpr std::int64_t most = 1'000'000'000;  // no product of two such numbers overflows

}  // namespace

std::vector<UnitDivision> unit_divisions(const netgen::StructuredCfg& cfg, std::int64_t wavefronts,
                                         std::int64_t simds, std::int64_t spare, UnitRule rule) {
    for (const std::int64_t number : {wavefronts, simds, spare + 1})
        if (number < 1 || number > most)
            throw InputError(fmt::format(
                "wavefronts, SIMD units and units of a wavefront: expected 1 to {}, found {}", most, number));
    const netgen::Units all = simds * (spare + 1);
    const SplitTable table(cfg, all, rule);
    std::vector<UnitDivision> divisions;
    for (netgen::Units units = 1; units <= table.useful_units(); ++units) {
        UnitDivision division{.units = units, .at_a_time = all / units, .wcet = table.wcet(units)};
        division.rounds = divided_up(wavefronts, division.at_a_time);
        if (__builtin_mul_overflow(division.rounds, division.wcet, &division.time))
            throw InputError(
                fmt::format("{} rounds of {} take more than 64 bits hold", division.rounds, division.wcet));
        divisions.push_back(division);
    }
    return divisions;
}

const UnitDivision& best_division(const std::vector<UnitDivision>& divisions) {
    return *std::ranges::min_element(divisions, {}, &UnitDivision::time);
}

}  // namespace warpnet::studies
