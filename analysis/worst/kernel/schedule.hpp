#pragma once

#include "engine/run/replay.hpp"
#include "netgen/kernel/kernel.hpp"

#include <string>
#include <vector>

namespace warpnet::worst {

/// One instruction of one warp, both counted from 0.
struct InstructionRun {
    int warp = 0;
    int instruction = 0;
    bool operator==(const InstructionRun&) const = default;
};

/// The executed positions of each cycle, from the first cycle to the last; a wait is listed as one position
/// of the string per cycle.
using KernelSchedule = std::vector<std::vector<InstructionRun>>;

/// The reason why a work-conserving scheduler cannot produce a schedule: the first violated rule, with the
/// cycle, warp and instruction; empty if there is none. The rules: every warp executes its instructions in
/// order, at most one per cycle; no cycle exceeds a capacity or the number of schedulers; for every ready
/// instruction that does not execute, the units or the schedulers are taken by instructions of its own or a
/// lower level; a wait continues in every cycle and takes neither; after the last cycle all warps have
/// finished. Written from these rules alone, it shares no code with the searches. O(W) per cycle.
std::string check_schedule(const netgen::KernelInstance& instance, const KernelSchedule& schedule);

/// A kernel's schedule as steps of its net: per cycle the transitions of the executed positions, ascending,
/// on all its SMs. replay() accepts it if the schedule is one of the instance.
Schedule net_schedule(const netgen::KernelNet& net, const KernelSchedule& schedule);

}  // namespace warpnet::worst
