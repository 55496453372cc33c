#pragma once

#include "analysis/worst/kernel/schedule.hpp"
#include "analysis/worst/search/objective.hpp"
#include "engine/base/work_limits.hpp"
#include "netgen/kernel/kernel.hpp"

#include <cstdint>
#include <optional>

namespace warpnet::worst {

struct ExactMakespan {
    int makespan = 0;
    KernelSchedule schedule;  ///< one with exactly this length
};

/// Memory of dense_makespan(): C(W + I, I) states of one byte each, two if W*I > 254. Nothing if that exceeds
/// 64 bits.
std::optional<std::uint64_t> dense_makespan_bytes(const netgen::KernelInstance& instance);

/// The exact longest or shortest makespan by dynamic programming over *all* states of the instance
/// (MultisetSpace), from the end to the start: the value of a state is one more than the best value among its
/// successors by a maximal step. All states with the same number of executed instructions are independent and
/// are computed in parallel. The result does not depend on the number of threads.
///
/// Nothing if the table would exceed the memory of the limits, or time is up. Time: states x maximal steps of
/// a state, in practice some 10 million states per second per core.
std::optional<ExactMakespan> dense_makespan(const netgen::KernelInstance& instance, Objective objective,
                                            const WorkLimits& limits = {});

}  // namespace warpnet::worst
