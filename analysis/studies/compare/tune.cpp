// Launches of one kernel, ranked by predicted time. A launch ties with the best if their intervals over the
// seeds overlap. If measured times are known, three figures judge the ranking: rank correlation, the measured
// rank of the predicted best, and the loss of that launch against the measured best.

#include "analysis/studies/compare/tune.hpp"

#include "analysis/studies/compare/statistics.hpp"
#include "engine/base/to_json.hpp"
#include "engine/input/csv.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace warpnet::studies {

namespace {

std::optional<TuneQuality> quality_of(std::span<const TunedLaunch> launches) {
    std::vector<double> measured, predicted, errors;
    for (const TunedLaunch& launch : launches) {
        if (!launch.measured_us) continue;
        measured.push_back(*launch.measured_us);
        predicted.push_back(launch.predicted.prediction.us);
        errors.push_back(100 * std::abs(predicted.back() / measured.back() - 1));
    }
    if (measured.size() < 2) return std::nullopt;
    TuneQuality quality;
    quality.launches = measured.size();
    quality.spearman = sample::spearman(predicted, measured);
    quality.mape = sample::mean(errors);
    const auto faster = std::ranges::count_if(measured, [&](double us) { return us < measured.front(); });
    quality.measured_rank_of_best = static_cast<std::size_t>(faster) + 1;
    quality.loss = measured.front() / *std::ranges::min_element(measured) - 1;
    return quality;
}

nlohmann::ordered_json quality_json(const TuneQuality& quality) {
    return {{"launches", quality.launches},
            {"spearman", finite_or_null(quality.spearman)},
            {"mape", quality.mape},
            {"measured_rank_of_best", quality.measured_rank_of_best},
            {"loss", quality.loss}};
}

}  // namespace

void rank_launches(TunedSpace& space) {
    std::ranges::stable_sort(space.launches, {},
                             [](const TunedLaunch& launch) { return launch.predicted.prediction.us; });
    for (TunedLaunch& launch : space.launches)
        launch.ties_with_best =
            launch.predicted.prediction.low_us <= space.launches.front().predicted.prediction.high_us;
    space.quality = quality_of(space.launches);
}

nlohmann::ordered_json to_json(const netgen::Device& device, const TunedSpace& space) {
    using Json = nlohmann::ordered_json;
    Json json = {{"device", device.name},
                 {"axes", space.axes},
                 {"rows", Json::array()},
                 {"left_out", space.left_out},
                 {"not_predicted", space.not_predicted}};
    if (space.quality) json["quality"] = quality_json(*space.quality);
    for (const TunedLaunch& launch : space.launches) {
        Json values = Json::object();
        for (std::size_t a = 0; a < space.axes.size(); ++a) values[space.axes[a]] = launch.values[a];
        Json row = {{"rank", json["rows"].size() + 1}, {"values", values}};
        row.update(to_json(device, std::vector{launch.predicted}));
        row["ties_with_best"] = launch.ties_with_best;
        if (launch.measured_us) row["measured_us"] = *launch.measured_us;
        json["rows"].push_back(std::move(row));
    }
    return json;
}

std::string to_csv(const TunedSpace& space) {
    std::string text = "rank";
    for (const std::string& axis : space.axes) text += "," + csv_field(axis);
    text += ",blocks,threads,registers,shared_bytes,predicted_us,low_us,high_us,closed_form_us,limited_by,";
    text += "measured_us,outside\n";
    std::size_t rank = 0;
    for (const TunedLaunch& launch : space.launches) {
        const netgen::KernelProfile& kernel = launch.predicted.kernel;
        const SmPrediction& prediction = launch.predicted.prediction;
        text += fmt::format("{}", ++rank);
        for (const std::string& value : launch.values) text += "," + csv_field(value);
        text +=
            fmt::format(",{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{},{},{}\n", kernel.blocks, kernel.threads,
                        kernel.registers, kernel.shared_bytes, prediction.us, prediction.low_us,
                        prediction.high_us, prediction.closed.us, to_string(prediction.closed.binding),
                        launch.measured_us ? fmt::format("{:.6g}", *launch.measured_us) : "",
                        csv_field(fmt::format("{}", fmt::join(prediction.outside, "; "))));
    }
    return text;
}

}  // namespace warpnet::studies
