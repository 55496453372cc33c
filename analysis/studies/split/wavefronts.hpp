#pragma once

#include "analysis/studies/split/split.hpp"

#include <cstdint>
#include <vector>

namespace warpnet::studies {

/// A division of SIMD units among the wavefronts of a kernel: each has so many units, its own and its
/// reserved ones.
struct UnitDivision {
    netgen::Units units = 1;     ///< of a wavefront
    std::int64_t at_a_time = 1;  ///< wavefronts that the SIMD units execute at a time
    std::int64_t rounds = 1;     ///< ceil(wavefronts / at_a_time)
    std::int64_t wcet = 0;       ///< of a wavefront
    std::int64_t time = 0;       ///< rounds * wcet: no run of all wavefronts takes longer
    bool operator==(const UnitDivision&) const = default;
};

/// For 1, 2, ... units of a wavefront, as many as can make it shorter: the time of `wavefronts` wavefronts on
/// `simds` SIMD units with `spare` * `simds` reserved ones, the S * N_SIMD of [Klashtorny24] section II.
/// Throws InputError for numbers below 1 (spare: 0), and for times beyond 64 bits.
std::vector<UnitDivision> unit_divisions(const netgen::StructuredCfg& cfg, std::int64_t wavefronts,
                                         std::int64_t simds, std::int64_t spare, UnitRule rule);

/// The one with the least time; of equal ones the first. `divisions` must not be empty.
const UnitDivision& best_division(const std::vector<UnitDivision>& divisions);

}  // namespace warpnet::studies
