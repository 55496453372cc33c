#pragma once

#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <string>

namespace warpnet {

/// A schedule as a Gantt chart, like the figures of seed 000: one row for each frame of the net (a warp: ids
/// that begin with w1_, picture_frames.hpp) and one for all transitions in no frame, one column for each
/// timed step, a cell for what fires there. Cells of one kind have one colour: the unit of an instruction
/// (the last letters of w1_i3_L), else the name of the transition within its frame. Self-contained SVG; size
/// O(firings).
std::string schedule_svg(const Net& net, const Schedule& schedule);

}  // namespace warpnet
