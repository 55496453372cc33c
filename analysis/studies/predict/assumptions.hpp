#pragma once

#include "analysis/studies/predict/predict.hpp"
#include "analysis/studies/predict/predict_json.hpp"
#include "netgen/sm/device_input.hpp"
#include "netgen/sm/presets.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace warpnet::studies {

/// The margin by which facts of a device may be worse than in its table: latencies longer, rates lower.
struct FactMargin {
    std::string fact;  ///< a column of the table; or "latencies", "rates", "unverified": all of these
    double percent = 0;
};

/// "lat_dram=20%,unverified=10%". Throws UsageError for facts that are neither latencies nor rates, and for
/// percentages outside of 0 to 1000.
std::vector<FactMargin> parse_margins(std::string_view text);

/// The device at the pessimistic end of its margins: a latency grows by p percent, and a rate is divided by
/// (1 + p / 100). If a fact has several margins, the largest counts. Unknown facts stay unknown.
netgen::Device pessimistic_device(netgen::Device device, const std::vector<FactMargin>& margins);

/// One prediction per launch by predict_sm(), with the assumptions behind certified times. Certificates are
/// for the longest warps and the device at the pessimistic end of `margins`; predictions are for the device
/// as it is. Fewer answers if the interrupt of the options is set.
std::vector<PredictedLaunch> predict_launches(const netgen::DeviceInput& device,
                                              const std::vector<KernelLaunch>& launches,
                                              SmPredictOptions options = {},
                                              const std::vector<FactMargin>& margins = {},
                                              std::optional<double> deadline_us = {});

/// All assumptions behind the certified time of a launch.
std::vector<Assumption> assumptions_of(const netgen::Device& device, const std::vector<FactMargin>& margins,
                                       const PredictedLaunch& launch);

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
