#pragma once

#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <string>
#include <string_view>

namespace warpnet::studies {

// A schedule as a CSV file, one row a firing:
//
//     step,immediate,transition
//     1,0,w1_select_arith
//     1,0,w2_select_arith
//     2,0,w1_issue
//
// `step` counts 1, 2, 3, ... over timed and immediate steps alike; rows of one step are together;
// `immediate` is 0 or 1, the same in all rows of a step. Under multiset semantics a transition that fires
// several times has several rows. Transitions are ids of the net.

std::string write_schedule_csv(const Net& net, const Schedule& schedule);

/// Throws InputError (source:line: ...) for what is no schedule of transitions of the net. Whether the net
/// can follow it is not looked at: replay() does that.
Schedule read_schedule_csv(std::string_view text, const std::string& source, const Net& net);

/// Throws InputError if the net cannot make one of the steps: the schedule is of another net, then. Any
/// semantics will do: whether steps are maximal is not looked at. O(arcs that fire).
void check_schedule(const Net& net, const Schedule& schedule, const std::string& source);

}  // namespace warpnet::studies
