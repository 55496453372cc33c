#include "cli/report/predict_report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

double bound_us(const Device& device, double cycles) { return cycles / device.at("clock_mhz"); }

}  // namespace

std::vector<std::string> unverified_facts(const Device& device) {
    std::vector<std::string> names;
    for (const DeviceColumn& column : device_columns()) {
        const auto found = device.facts.find(column.name);
        if (found != device.facts.end() && !found->second.verified) names.emplace_back(column.name);
    }
    return names;
}

std::string predict_text(const Device& device, const KernelProfile& kernel, const SmPrediction& prediction) {
    std::string text = fmt::format(
        "{} on {}: {} blocks of {} threads, {} of them on the busiest SM, {} at a time\n\n", kernel.name,
        device.name, kernel.blocks, kernel.threads, prediction.blocks, prediction.resident);
    text += fmt::format("  predicted   {:10.3f} us   {:.3f} to {:.3f} over the seeds{}\n", prediction.us,
                        prediction.low_us, prediction.high_us,
                        prediction.traffic ? "; the DRAM traffic of the whole kernel" : "");
    text += fmt::format("  closed form {:10.3f} us   limited by {}\n", prediction.closed.us,
                        to_string(prediction.closed.binding));
    text += fmt::format("  net         {:10.0f} steps of {} cycles{}\n\n", prediction.steps,
                        prediction.step_cycles,
                        prediction.extrapolated ? ", extrapolated from the steady state" : "");
    text += "  each limit alone, us, without the launch:\n";
    for (std::size_t i = 0; i < sm_bound_count; ++i) {
        if (prediction.closed.cycles[i] <= 0) continue;
        text += fmt::format("    {:<10} {:10.3f}\n", to_string(static_cast<SmBound>(i)),
                            bound_us(device, prediction.closed.cycles[i]));
    }
    for (const std::string& reason : prediction.outside)
        text += fmt::format("  outside what this model can know: {}\n", reason);
    const auto unverified = unverified_facts(device);
    if (!unverified.empty())
        text += fmt::format("  not verified for {}: {}\n", device.name, fmt::join(unverified, ", "));
    return text;
}

std::string predict_json(const Device& device, const KernelProfile& kernel, const SmPrediction& prediction) {
    nlohmann::ordered_json bounds;
    for (std::size_t i = 0; i < sm_bound_count; ++i)
        bounds[std::string(to_string(static_cast<SmBound>(i)))] =
            bound_us(device, prediction.closed.cycles[i]);
    const nlohmann::ordered_json json = {{"kernel", kernel.name},
                                         {"device", device.name},
                                         {"predicted_us", prediction.us},
                                         {"interval_us", {prediction.low_us, prediction.high_us}},
                                         {"closed_form_us", prediction.closed.us},
                                         {"limited_by", to_string(prediction.closed.binding)},
                                         {"bounds_us", bounds},
                                         {"steps", prediction.steps},
                                         {"step_cycles", prediction.step_cycles},
                                         {"extrapolated", prediction.extrapolated},
                                         {"dram_traffic", prediction.traffic},
                                         {"blocks_per_sm", prediction.blocks},
                                         {"resident_blocks", prediction.resident},
                                         {"outside", prediction.outside},
                                         {"unverified", unverified_facts(device)}};
    return json.dump() + "\n";
}

}  // namespace warpnet::cli
