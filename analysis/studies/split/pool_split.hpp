#pragma once

#include "engine/base/work_limits.hpp"
#include "netgen/cfg/unit_pool.hpp"

#include <cstdint>

namespace warpnet::studies {

struct PoolSplitOptions {
    /// In total: simulated decisions of the exact search, and simulated runs of the local search.
    std::uint64_t evaluations = 100'000;
    std::uint64_t seed = 1;
    WorkLimits limits = {};  ///< deadline and interrupt
};

struct PoolSplitResult {
    std::int64_t wcet = 0;     ///< of the best set found
    std::int64_t lower = 0;    ///< no set of splits has a smaller WCET
    std::int64_t unsplit = 0;  ///< with no split
    netgen::PoolRun run;       ///< of that set: the split branches, and the sources of their units
    std::uint64_t evaluations = 0;
    WorkEnd end = WorkEnd::complete;  ///< or why `lower` may be below `wcet`

    bool exact() const { return lower == wcet; }
    bool operator==(const PoolSplitResult&) const = default;
};

/// The splits with the least WCET if units are pooled (netgen/cfg/unit_pool.hpp): the optimum over all sets
/// of splits of that pool, in which no branch waits for a unit. It is at most the optimum over static
/// allotments (best_split() with UnitRule::reuse). First come, first served and a fixed hand-over have the
/// same WCET. The result depends only on the options, unless a deadline or an interrupt ends it.
///
/// Throws InputError if `units` is below 1.
PoolSplitResult best_pool_split(const netgen::StructuredCfg& cfg, netgen::Units units,
                                const PoolSplitOptions& options = {});

}  // namespace warpnet::studies
