#pragma once

#include "analysis/worst/kernel/schedule.hpp"
#include "engine/run/replay.hpp"
#include "netgen/kernel/kernel.hpp"

namespace warpnet {

/// A kernel's schedule as steps of its net: cycle by cycle the transitions of what executes, ascending, on
/// all its SMs at once. What replay() accepts if the schedule is one of the instance.
Schedule net_schedule(const KernelNet& net, const KernelSchedule& schedule);

}  // namespace warpnet
