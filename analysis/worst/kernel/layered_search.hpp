#pragma once

#include "analysis/worst/kernel/schedule.hpp"
#include "analysis/worst/kernel/segment_bound.hpp"
#include "engine/base/work_limits.hpp"

#include <cstdint>
#include <string>

namespace warpnet::ranks {
class Collectives;
}  // namespace warpnet::ranks

namespace warpnet::worst {

struct LayeredResult {
    /// complete: the search was exhaustive; otherwise the result says nothing about the target.
    WorkEnd end = WorkEnd::complete;
    /// complete and not empty: the longest (shortest) schedule, which meets the target. Complete and empty:
    /// no schedule is as long (short) as the target.
    KernelSchedule schedule;
    std::uint64_t states = 0;  ///< kept in all layers
    int disk_error = 0;        ///< with several ranks: an errno that ended the search; 0: none
};

/// Decides whether some schedule takes at least (shortest: at most) `target` cycles, and finds the longest
/// (shortest) if one does.
///
/// Forward through the concrete states, layer by layer of equal numbers of executed instructions; every state
/// is visited once, with the longest (shortest) path to it. A state reached after t cycles is kept only if t
/// plus its certified bound meets the target, which loses no such schedule. The answer does not depend on the
/// number of threads.
///
/// Memory: eight bytes per kept state, all layers (for the schedule), plus the successors of one layer. With
/// a scratch folder, layers that exceed the memory go there (LayerStore), and only the disk is a limit. If a
/// state and its cycle need more than 64 bits, the result is memory_limit at once. Throws InputError if the
/// scratch folder cannot be written, std::system_error if the disk is full.
///
/// With `ranks` it is called on all of them, with equal arguments except for the limits, and every state is
/// kept by one of them: the memory limit is per rank. A limit that one reaches ends all, and all have the
/// result of one process; a full disk is reported in it.
LayeredResult layered_search(const netgen::KernelInstance& instance, const SegmentBound& bound, int target,
                             const WorkLimits& limits, const std::string& scratch = {},
                             ranks::Collectives* ranks = nullptr);

}  // namespace warpnet::worst
