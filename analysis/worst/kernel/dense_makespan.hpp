#pragma once

#include "analysis/worst/kernel/schedule.hpp"
#include "analysis/worst/search/objective.hpp"
#include "engine/base/work_limits.hpp"
#include "netgen/kernel/kernel.hpp"

#include <cstdint>
#include <optional>

namespace warpnet {

struct ExactMakespan {
    int makespan = 0;
    KernelSchedule schedule;  ///< one that takes exactly this long
};

/// Memory that dense_makespan() needs: C(W + I, I) states of one byte each, two where W*I > 254. Nothing if
/// that is beyond 64 bits.
std::optional<std::uint64_t> dense_makespan_bytes(const KernelInstance& instance);

/// The exact longest or shortest makespan by dynamic programming over *all* states of the instance
/// (MultisetSpace), from the end to the start: a state's value is one more than the best value among its
/// successors by a maximal step. All states with the same number of executed instructions are independent of
/// one another and are computed in parallel; the result does not depend on the number of threads.
///
/// Nothing if the table would exceed the memory of the limits, or time is up. Time: states x maximal steps of
/// a state, in practice some 10 million states a second and core.
std::optional<ExactMakespan> dense_makespan(const KernelInstance& instance, Objective objective,
                                            const WorkLimits& limits = {});

}  // namespace warpnet
