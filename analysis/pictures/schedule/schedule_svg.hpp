#pragma once

#include "analysis/pictures/picture_style.hpp"
#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <string>

namespace warpnet {

/// A schedule as a Gantt chart, like the figures of [Berezovskyi13]: one row for each frame of the net (a
/// warp: ids that begin with w1_, picture_frames.hpp; on several SMs sm1_w1_) and one for all transitions in
/// no frame, one column for each timed step, a cell for what fires there. Cells of one kind have one colour:
/// the unit of an instruction (the last letters of w1_i3_L), else the name of the transition within its
/// frame. Of a long schedule each column is several steps, filled as far as the row fires in them, so that
/// the picture is never wider than about 1,800 pixels. `note` stands behind the number of steps, above the
/// chart. Self-contained SVG; size O(rows x 1080) at most.
std::string schedule_svg(const Net& net, const Schedule& schedule, const std::string& note = {},
                         const PictureStyle& style = {});

}  // namespace warpnet
