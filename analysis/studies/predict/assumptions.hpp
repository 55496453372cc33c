#pragma once

#include "analysis/studies/predict/predict_json.hpp"
#include "netgen/sm/presets.hpp"

#include <string>
#include <string_view>
#include <vector>

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

/// All assumptions behind the certified time of a launch.
std::vector<Assumption> assumptions_of(const netgen::Device& device, const std::vector<FactMargin>& margins,
                                       const PredictedLaunch& launch);

}  // namespace warpnet::studies
