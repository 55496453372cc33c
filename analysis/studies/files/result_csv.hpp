#pragma once

#include "analysis/studies/compare/compare.hpp"
#include "analysis/studies/predict/predict_json.hpp"
#include "analysis/worst/worst_case.hpp"

#include <string>
#include <vector>

namespace warpnet::studies {

// Results as tables: one row per kernel below a row of names.

/// The measured values and the predictions of each family.
std::string to_csv(const Comparison& comparison);
std::string to_csv(const std::vector<PredictedLaunch>& launches);
/// One row per improvement of a search.
std::string to_csv(const std::vector<worst::WorstCaseImprovement>& improvements);

}  // namespace warpnet::studies
