// Comparisons, predictions and logs of searches as CSV. Columns depend on the questions, so an optional
// column is absent instead of empty.

#include "analysis/studies/files/result_csv.hpp"

#include "engine/input/csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::studies {

std::string to_csv(const Comparison& comparison) {
    std::string text = fmt::format("kernel,blocks,threads,launches,measured_{}", comparison.unit);
    for (const FamilyComparison& family : comparison.families)
        text += fmt::format(",{0}_{1},{0}_error_percent", to_string(family.family), comparison.unit);
    text += ",limited_by,outside\n";
    for (std::size_t i = 0; i < comparison.measurements.size(); ++i) {
        const Measurement& measurement = comparison.measurements[i];
        text += csv_field(measurement.kernel);
        text += measurement.profile
                    ? fmt::format(",{},{}", measurement.profile->blocks, measurement.profile->threads)
                    : ",,";
        text += fmt::format(",{},{:.6g}", measurement.launches, measurement.measured);
        std::string bound, outside;
        for (const FamilyComparison& family : comparison.families) {
            const ComparePoint& point = family.points[i];
            text += fmt::format(",{:.6g},{:.2f}", point.predicted, 100 * point.error);
            if (!point.prediction) continue;
            bound = to_string(point.prediction->closed.binding);
            outside = fmt::format("{}", fmt::join(point.prediction->outside, "; "));
        }
        text += fmt::format(",{},{}\n", bound, csv_field(outside));
    }
    return text;
}

std::string to_csv(const std::vector<PredictedLaunch>& launches) {
    const bool worst = has_worst_case(launches);
    const bool deadline = !launches.empty() && launches.front().deadline_us;
    std::string text = fmt::format(
        "kernel,blocks,threads,launches,predicted_us,low_us,high_us,{}{}total_us,closed_form_us,limited_by,"
        "outside\n",
        worst ? "worst_us," : "", deadline ? "deadline," : "");
    for (const PredictedLaunch& launch : launches) {
        const SmPrediction& p = launch.prediction;
        text += fmt::format(
            "{},{},{},{},{:.6g},{:.6g},{:.6g},{}{}{:.6g},{:.6g},{},{}\n", csv_field(launch.kernel.name),
            launch.kernel.blocks, launch.kernel.threads, launch.launches, p.us, p.low_us, p.high_us,
            !worst    ? ""
            : p.worst ? fmt::format("{:.6g},", p.worst->us)
                      : ",",
            deadline ? fmt::format("{},", to_string(launch.verdict())) : "",
            p.us * static_cast<double>(launch.launches), p.closed.us, to_string(p.closed.binding),
            csv_field(fmt::format("{}", fmt::join(p.outside, "; "))));
    }
    return text;
}

std::string to_csv(const std::vector<worst::WorstCaseImprovement>& improvements) {
    std::string text = "time,chain,iteration,value\n";
    for (const worst::WorstCaseImprovement& row : improvements)
        text += fmt::format("{:.6f},{},{},{}\n", row.seconds, row.chain, row.iteration, row.value);
    return text;
}

}  // namespace warpnet::studies
