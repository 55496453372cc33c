#pragma once

#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <string>

namespace warpnet::pictures {

/// A schedule in the trace format of Chrome (JSON, "traceEvents"), which Perfetto (ui.perfetto.dev) opens. A
/// thread for each row of schedule_rows(); in it a slice for consecutive steps of one kind, and one,
/// "waiting", for each wait. A step lasts 1 µs, and step 1 begins at 0. The transitions of a slice are its
/// argument "fired". O(firings).
std::string schedule_trace(const Net& net, const Schedule& schedule);

}  // namespace warpnet::pictures
