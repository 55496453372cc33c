#include "cli/report/predict_report.hpp"

#include "engine/input/csv.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
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

namespace {

std::string one_text(const Device& device, const KernelProfile& kernel, const SmPrediction& prediction) {
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

nlohmann::ordered_json one_json(const Device& device, const KernelProfile& kernel,
                                const SmPrediction& prediction) {
    nlohmann::ordered_json bounds;
    for (std::size_t i = 0; i < sm_bound_count; ++i)
        bounds[std::string(to_string(static_cast<SmBound>(i)))] =
            bound_us(device, prediction.closed.cycles[i]);
    nlohmann::ordered_json json = {{"kernel", kernel.name},
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
    return json;
}

double total_us(const std::vector<PredictedLaunch>& launches) {
    double total = 0;
    for (const PredictedLaunch& launch : launches)
        total += launch.prediction.us * static_cast<double>(launch.launches);
    return total;
}

}  // namespace

std::string predict_text(const Device& device, const std::vector<PredictedLaunch>& launches) {
    if (launches.size() == 1 && launches.front().launches == 1)
        return one_text(device, launches.front().kernel, launches.front().prediction);
    std::string text = fmt::format("{:<52} {:>9} {:>12} {:>13}  {}\n", "kernels on " + device.name,
                                   "launches", "us a launch", "us in all", "limited by");
    bool outside = false;
    for (const PredictedLaunch& launch : launches) {
        std::string name = launch.kernel.name;
        if (name.size() > 52) name = name.substr(name.size() - 52);
        text += fmt::format("{:<52} {:>9} {:>12.3f} {:>13.3f}  {}{}\n", name, launch.launches,
                            launch.prediction.us, launch.prediction.us * static_cast<double>(launch.launches),
                            to_string(launch.prediction.closed.binding),
                            launch.prediction.outside.empty() ? "" : " *");
        outside |= !launch.prediction.outside.empty();
    }
    text += fmt::format("{:<52} {:>9} {:>12} {:>13.3f}\n", "all, one after the other", "", "",
                        total_us(launches));
    if (outside) text += "* outside what this model can know ('warpnet predict --row' says why)\n";
    return text;
}

std::string predict_json(const Device& device, const std::vector<PredictedLaunch>& launches) {
    if (launches.size() == 1 && launches.front().launches == 1)
        return one_json(device, launches.front().kernel, launches.front().prediction).dump() + "\n";
    nlohmann::ordered_json json = {{"device", device.name}, {"total_us", total_us(launches)}};
    json["kernels"] = nlohmann::ordered_json::array();
    for (const PredictedLaunch& launch : launches) {
        json["kernels"].push_back(one_json(device, launch.kernel, launch.prediction));
        json["kernels"].back()["launches"] = launch.launches;
    }
    return json.dump() + "\n";
}

std::string predict_csv(const std::vector<PredictedLaunch>& launches) {
    std::string text =
        "kernel,blocks,threads,launches,predicted_us,low_us,high_us,total_us,closed_form_us,limited_by,"
        "outside\n";
    for (const PredictedLaunch& launch : launches) {
        const SmPrediction& p = launch.prediction;
        text += fmt::format(
            "{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{},{}\n", csv_field(launch.kernel.name),
            launch.kernel.blocks, launch.kernel.threads, launch.launches, p.us, p.low_us, p.high_us,
            p.us * static_cast<double>(launch.launches), p.closed.us, to_string(p.closed.binding),
            csv_field(fmt::format("{}", fmt::join(p.outside, "; "))));
    }
    return text;
}

}  // namespace warpnet::cli
