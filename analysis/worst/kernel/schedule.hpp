#pragma once

#include "engine/run/replay.hpp"
#include "netgen/kernel/kernel.hpp"
#include "netgen/kernel/kernel.hpp"

#include <string>
#include <vector>

namespace warpnet {

/// One instruction of one warp, both counted from 0.
struct InstructionRun {
    int warp = 0;
    int instruction = 0;
    bool operator==(const InstructionRun&) const = default;
};

/// What executes in each cycle, from the first cycle to the last; waits are listed as what they are, one
/// position of the string a cycle.
using KernelSchedule = std::vector<std::vector<InstructionRun>>;

/// Why a schedule is not one that a work-conserving scheduler can produce: the first rule broken, with the
/// cycle, warp and instruction; empty if it is. The rules: every warp executes its instructions in order, at
/// most one a cycle; no cycle exceeds a capacity or the number of schedulers; every ready instruction that
/// does not execute finds its units or the schedulers taken by instructions of its own or a lower level; a
/// wait goes on in every cycle and takes neither;
/// after the last cycle all warps have finished. Written from these rules alone, it shares no code with what
/// searches for schedules. O(W) a cycle.
std::string check_schedule(const KernelInstance& instance, const KernelSchedule& schedule);

/// A kernel's schedule as steps of its net: cycle by cycle the transitions of what executes, ascending, on
/// all its SMs at once. What replay() accepts if the schedule is one of the instance.
Schedule net_schedule(const KernelNet& net, const KernelSchedule& schedule);

}  // namespace warpnet
