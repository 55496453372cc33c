// The JSON of predicted launches, and the verdict on a deadline. One launch is an object, several are a list
// with their total.

#include "analysis/studies/predict/predict_json.hpp"

#include "engine/base/text.hpp"
#include "engine/base/to_json.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace warpnet::studies {

namespace {

using Json = nlohmann::ordered_json;

Json one_json(const netgen::Device& device, const PredictedLaunch& launch) {
    const SmPrediction& prediction = launch.prediction;
    Json bounds;
    for (std::size_t i = 0; i < sm_bound_count; ++i)
        bounds[with_underscores(to_string(static_cast<SmBound>(i)))] =
            prediction.closed.cycles[i] / device.at("clock_mhz");
    Json json = {{"kernel", launch.kernel.name},
                 {"device", device.name},
                 {"blocks", launch.kernel.blocks},
                 {"threads", launch.kernel.threads},
                 {"registers", launch.kernel.registers},
                 {"shared_bytes", launch.kernel.shared_bytes},
                 {"assumed", launch.assumed},
                 {"predicted_us", prediction.us},
                 {"interval_us", {prediction.low_us, prediction.high_us}},
                 {"closed_form_us", prediction.closed.us},
                 {"limited_by", with_underscores(to_string(prediction.closed.binding))},
                 {"bounds_us", bounds},
                 {"steps", count_json(prediction.steps)},
                 {"step_cycles", prediction.step_cycles},
                 {"extrapolated", prediction.extrapolated},
                 {"dram_traffic", prediction.traffic},
                 {"blocks_per_sm", prediction.blocks},
                 {"resident_blocks", prediction.resident},
                 {"outside", prediction.outside},
                 {"unverified", unverified_facts(device)}};
    const Occupancy& occupancy = prediction.occupancy;
    json["occupancy"] = {{"warps", occupancy.warps},
                         {"warp_slots", occupancy.warp_slots},
                         {"share", occupancy.share()},
                         {"limited_by", occupancy.limited_by()},
                         {"blocks_by", Json::object()}};
    for (const Occupancy::Limit& limit : occupancy.limits)
        json["occupancy"]["blocks_by"][with_underscores(limit.resource)] = or_null(limit.blocks);
    if (prediction.worst)
        json["worst"] = {{"us", prediction.worst->us},
                         {"steps", prediction.worst->bound.steps},
                         {"sum_of_rates_steps", prediction.worst->sum_of_rates},
                         {"found_us", or_null(prediction.worst->found_us)},
                         {"found_steps", or_null(prediction.worst->found_steps)},
                         {"dispatcher", to_string(prediction.dispatcher)},
                         {"clock_mhz", prediction.worst->clock_mhz},
                         {"argument", prediction.worst->bound.argument},
                         {"certified", launch.uncounted.empty()},
                         {"uncounted", launch.uncounted},
                         {"assumptions", assumptions_json(launch.assumptions)}};
    if (launch.deadline_us)
        json["deadline"] = {{"us", *launch.deadline_us}, {"verdict", to_string(launch.verdict())}};
    return json;
}

}  // namespace

nlohmann::ordered_json assumptions_json(const std::vector<Assumption>& assumptions) {
    Json list = Json::array();
    for (const Assumption& assumption : assumptions)
        list.push_back({{"about", assumption.about}, {"text", assumption.text}});
    return list;
}

std::vector<std::string> unverified_facts(const netgen::Device& device) {
    std::vector<std::string> names;
    for (const netgen::DeviceColumn& column : netgen::device_columns()) {
        const auto found = device.facts.find(column.name);
        if (found != device.facts.end() && !found->second.verified) names.emplace_back(column.name);
    }
    return names;
}

bool has_worst_case(const std::vector<PredictedLaunch>& launches) {
    return std::ranges::any_of(
        launches, [](const PredictedLaunch& launch) { return launch.prediction.worst.has_value(); });
}

worst::DeadlineVerdict PredictedLaunch::verdict() const {
    const std::optional<SmWorstCase>& worst = prediction.worst;
    if (!worst) return worst::DeadlineVerdict::open;
    return worst::judge_deadline(worst->found_us, uncounted.empty() ? std::optional(worst->us) : std::nullopt,
                                 *deadline_us);
}

double total_us(const std::vector<PredictedLaunch>& launches) {
    double total = 0;
    for (const PredictedLaunch& launch : launches)
        total += launch.prediction.us * static_cast<double>(launch.launches);
    return total;
}

nlohmann::ordered_json to_json(const netgen::Device& device, const std::vector<PredictedLaunch>& launches) {
    if (launches.size() == 1 && launches.front().launches == 1) return one_json(device, launches.front());
    Json json = {{"device", device.name}, {"total_us", total_us(launches)}};
    json["kernels"] = Json::array();
    for (const PredictedLaunch& launch : launches) {
        json["kernels"].push_back(one_json(device, launch));
        json["kernels"].back()["launches"] = launch.launches;
    }
    return json;
}

}  // namespace warpnet::studies
