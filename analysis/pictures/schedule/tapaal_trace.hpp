#pragma once

#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <string>

namespace warpnet::pictures {

/// A schedule as the trace (.trc) that TAPAAL's simulator imports for the net's PNML file. TAPAAL fires one
/// transition at a time, so the transitions of a step follow each other, in an order in which all can fire.
/// Throws InputError if no such order is found, if the schedule is not one of the net, and for more than
/// 1,000,000 tokens, each of which is an element of the file. O(firings x places), more if the transitions
/// of a step disable each other.
std::string tapaal_trace(const Net& net, const Schedule& schedule);

}  // namespace warpnet::pictures
