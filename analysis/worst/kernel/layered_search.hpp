#pragma once

#include "analysis/worst/kernel/schedule.hpp"
#include "analysis/worst/kernel/segment_bound.hpp"
#include "engine/base/work_limits.hpp"

#include <cstdint>
#include <string>

namespace warpnet {

class Collectives;

struct LayeredResult {
    /// complete: the search was exhaustive; otherwise it says nothing about the target.
    WorkEnd end = WorkEnd::complete;
    /// complete and not empty: the longest (shortest) schedule of all, which meets the target. Complete and
    /// empty: no schedule is as long (short) as the target.
    KernelSchedule schedule;
    std::uint64_t states = 0;  ///< kept in all layers
    int disk_error = 0;        ///< of several ranks: an errno that ended the search; 0: none
};

/// Decides whether some schedule takes at least (shortest: at most) `target` cycles, and finds the longest
/// (shortest) if one does.
///
/// Forward through the concrete states, layer by layer of equal numbers of executed instructions; every state
/// is met once, with the longest (shortest) way to it. A state reached after t cycles is kept only if t plus
/// its certified bound meets the target, which loses no schedule that does. The same answer on any number of
/// threads.
///
/// Memory: eight bytes a kept state, all layers (for the schedule), plus the successors of one layer. With a
/// scratch folder, layers that have no room go there (LayerStore), and only the disk is a limit. More than 64
/// bits for a state and its cycle end as memory_limit at once. Throws InputError where the scratch folder
/// cannot be written, std::system_error where the disk is full.
///
/// With `ranks` it is called on all of them, with equal arguments but for the limits, and every state is kept
/// by one of them: the memory is that of each rank. A limit of one ends all, and all have the same result as
/// one process; a disk that is full is told by it.
LayeredResult layered_search(const KernelInstance& instance, const SegmentBound& bound, int target,
                             const WorkLimits& limits, const std::string& scratch = {},
                             Collectives* ranks = nullptr);

}  // namespace warpnet
