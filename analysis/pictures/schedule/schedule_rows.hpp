#pragma once

#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpnet::pictures {

/// The rows of a chart of schedules, and the kind of each transition, which its colour shows.
struct ScheduleRows {
    std::vector<std::string> names;     ///< of the rows; the last one is for transitions in no other row
    std::vector<std::uint32_t> row_of;  ///< by transition
    std::vector<std::string> kind_of;   ///< by transition, e.g. "global memory"

    std::uint32_t rest() const { return static_cast<std::uint32_t>(names.size() - 1); }
};

/// A row for each frame of the net (a warp: ids that begin with w1_, picture_frames.hpp; on several SMs
/// sm1_w1_). Without frames, a row for each first word of the ids, such as the kernels of blur_sm0_pick. The
/// kind is the unit of an instruction (the last letters of w1_i3_L), the class of an instruction of the
/// families warps and sm ("arithmetic", "shared memory", "global memory", "memory", "latency"), otherwise the
/// name within the row. O(net log net).
ScheduleRows schedule_rows(const Net& net);

/// A colour for each of these kinds, as PictureStyle::area_fill() numbers them, in the order of the net, so
/// that all schedules of a net agree; idle is grey. If a net has too many kinds, only `kinds` have distinct
/// colours.
std::vector<std::size_t> colours_of(const ScheduleRows& rows, const std::vector<std::string>& kinds);

/// The steps [first, last], counted from 1, of timed steps in which nothing of a row fires, although
/// something of it fires later, from the step in which the row begins: a transition of it has tokens in all
/// input places from which only this row takes.
struct ScheduleWait {
    std::uint32_t row;
    std::uint64_t first, last;

    std::uint64_t steps() const { return last - first + 1; }
};

/// All waits of all rows but the last; ordered by their ends. O(arcs of the
/// net and of the firings).
std::vector<ScheduleWait> waits_of(const Net& net, const ScheduleRows& rows, const Schedule& schedule);

}  // namespace warpnet::pictures
