#pragma once

#include "analysis/studies/compare/compare.hpp"
#include "analysis/studies/predict/predict_json.hpp"
#include "analysis/worst/worst_case.hpp"
#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warpnet::studies {

// A schedule as a CSV file, one row per firing:
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

/// Throws InputError (source:line: ...) if the text is no schedule of transitions of the net. It does not
/// check whether the net can follow the schedule: replay() does that.
Schedule read_schedule_csv(std::string_view text, const std::string& source, const Net& net);

/// Throws InputError if the net cannot make one of the steps, because the schedule then belongs to another
/// net. Valid for all semantics, because it does not check whether steps are maximal. O(arcs that fire).
void check_schedule(const Net& net, const Schedule& schedule, const std::string& source);

// Results as tables: one row per kernel below a row of names.

/// The measured values and the predictions of each family.
std::string to_csv(const Comparison& comparison);
std::string to_csv(const std::vector<PredictedLaunch>& launches);
/// One row per improvement of a search.
std::string to_csv(const std::vector<worst::WorstCaseImprovement>& improvements);

}  // namespace warpnet::studies
