#pragma once

#include "analysis/pictures/picture_style.hpp"
#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <string>

namespace warpnet::pictures {

/// A schedule as a Gantt chart, like the figures of [Berezovskyi13]: one row for each frame of the net (a
/// warp: ids that begin with w1_, picture_frames.hpp; on several SMs sm1_w1_) and one, "no warp", for all
/// transitions in no frame; one column for each timed step; a cell for the firings there. Cells of one kind
/// have one colour: the unit of an instruction (the last letters of w1_i3_L), otherwise the name of the
/// transition within its frame. A colour follows from the kind and the kinds of the net, so two schedules of
/// a net agree. A column of a long schedule covers several steps, filled in proportion to those in which the
/// row fires, so the picture is never wider than about 1,800 pixels. `note` follows the number of steps,
/// above the chart. Self-contained SVG; size O(rows x 1080) at most.
std::string schedule_svg(const Net& net, const Schedule& schedule, const std::string& note = {},
                         const PictureStyle& style = {});

/// The same with the note of note_on_bound() on quick_bound().
std::string bounded_schedule_svg(const Net& net, const Schedule& schedule, const PictureStyle& style = {});

}  // namespace warpnet::pictures
