#pragma once

#include "analysis/studies/predict/predict.hpp"
#include "netgen/sm/device_input.hpp"

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace warpnet::studies {

/// The time of a kernel if one fact of the device were twice as large.
struct WhatIf {
    std::string fact;
    double value = 0;  ///< twice that of the device
    double us = 0;
    SmBound limited_by = SmBound::issue;
};

/// Every fact of the device that can be doubled, the shortest time first; facts that change nothing are left
/// out. `us`: the prediction of predict_sm() with these arguments on the unchanged device. Cost: one
/// prediction per fact of the device. Fewer answers if the interrupt of the options is set.
std::vector<WhatIf> what_if(const netgen::DeviceInput& device, const netgen::KernelProfile& kernel,
                            const SmPredictOptions& options, double us);

nlohmann::ordered_json to_json(const std::vector<WhatIf>& answers);

}  // namespace warpnet::studies
