#pragma once

#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <string>

namespace warpnet::pictures {

/// A schedule as the trace (.trc) that TAPAAL's simulator imports for the net's PNML file. TAPAAL fires one
/// transition at a time, so the transitions of a step follow each other, in an order in which none disables
/// another one. Throws InputError if a step has no such order or the schedule is not one of the net.
/// O(firings x transitions of a step).
std::string tapaal_trace(const Net& net, const Schedule& schedule);

}  // namespace warpnet::pictures
