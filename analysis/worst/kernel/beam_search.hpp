#pragma once

#include "analysis/worst/kernel/schedule.hpp"
#include "analysis/worst/kernel/segment_bound.hpp"
#include "engine/base/work_limits.hpp"

#include <cstddef>
#include <cstdint>

namespace warpnet::worst {

struct BeamOptions {
    std::size_t width = 1000;  ///< states kept in every cycle, at least 1
    std::uint64_t seed = 1;    ///< decides between states of equal bound
    WorkLimits limits = {};
};

struct BeamResult {
    KernelSchedule schedule;  ///< the longest (shortest) found; empty if a limit came first
    WorkEnd end = WorkEnd::complete;
};

/// Goes cycle by cycle through concrete states, and of those reached in a cycle keeps the `width` states with
/// the best bound on the remaining cycles. The bound's objective decides between longest and shortest. The
/// answer does not depend on the number of threads, unless the time limit is reached.
BeamResult beam_search(const netgen::KernelInstance& instance, const SegmentBound& bound,
                       const BeamOptions& options);

}  // namespace warpnet::worst
