#pragma once

#include "analysis/worst/kernel/schedule.hpp"
#include "analysis/worst/kernel/segment_bound.hpp"
#include "engine/base/work_limits.hpp"

#include <cstddef>
#include <cstdint>

namespace warpnet {

struct BeamOptions {
    std::size_t width = 1000;  ///< states kept in every cycle, at least 1
    std::uint64_t seed = 1;    ///< decides between states of equal bound
    WorkLimits limits = {};
};

struct BeamResult {
    KernelSchedule schedule;  ///< the longest (or shortest) found; empty if a limit came first
    WorkEnd end = WorkEnd::complete;
};

/// Runs cycle by cycle through concrete states, and of those reached in a cycle keeps the `width` with the
/// best bound on what is still to come. The bound's objective decides what is sought. The same answer on any
/// number of threads, unless the time limit is hit.
BeamResult beam_search(const KernelInstance& instance, const SegmentBound& bound, const BeamOptions& options);

}  // namespace warpnet
