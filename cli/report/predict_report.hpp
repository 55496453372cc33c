#pragma once

#include "analysis/studies/predict/predict.hpp"
#include "netgen/sm/presets.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpnet::cli {

/// A kernel of a program, with how long one launch of it is predicted to take.
struct PredictedLaunch {
    KernelProfile kernel;
    std::int64_t launches = 1;
    SmPrediction prediction;
};

/// What `predict` prints: everything about one kernel, or a line for each of several and their total.
std::string predict_text(const Device& device, const std::vector<PredictedLaunch>& launches);
std::string predict_json(const Device& device, const std::vector<PredictedLaunch>& launches);
/// One row a kernel, under a row of names.
std::string predict_csv(const std::vector<PredictedLaunch>& launches);

/// The facts of the device that the family `sm` uses and that are not verified.
std::vector<std::string> unverified_facts(const Device& device);

}  // namespace warpnet::cli
