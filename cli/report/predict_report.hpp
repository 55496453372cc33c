#pragma once

#include "analysis/sm/predict.hpp"
#include "netgen/sm/device.hpp"

#include <string>

namespace warpnet::cli {

/// What `predict` prints.
std::string predict_text(const Device& device, const KernelProfile& kernel, const SmPrediction& prediction);
std::string predict_json(const Device& device, const KernelProfile& kernel, const SmPrediction& prediction);

/// The facts of the device that the family `sm` uses and that are not verified.
std::vector<std::string> unverified_facts(const Device& device);

}  // namespace warpnet::cli
