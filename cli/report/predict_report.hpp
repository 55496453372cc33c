#pragma once

#include "analysis/studies/predict/predict.hpp"
#include "analysis/studies/predict/predict_json.hpp"
#include "netgen/sm/presets.hpp"

#include <string>
#include <vector>

namespace warpnet::cli {

/// What `predict` prints: everything about one kernel, or a line for each of several and their total.
std::string predict_text(const Device& device, const std::vector<PredictedLaunch>& launches);

}  // namespace warpnet::cli
