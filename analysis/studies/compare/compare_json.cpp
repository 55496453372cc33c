// The JSON of a comparison. Members of the first family are repeated at the top level, for scripts that
// compare one model.

#include "analysis/studies/compare/compare_json.hpp"

#include "engine/base/text.hpp"
#include "engine/base/to_json.hpp"

namespace warpnet::studies {

namespace {

using nlohmann::ordered_json;

ordered_json threads_of(const Comparison& comparison, const std::vector<std::size_t>& measurements) {
    ordered_json sizes = ordered_json::array();
    for (const std::size_t i : measurements) sizes.push_back(comparison.measurements[i].profile->threads);
    return sizes;
}

ordered_json interval_json(const sample::Interval& interval) {
    return {finite_or_null(interval.low), finite_or_null(interval.high)};
}

ordered_json errors_json(const ErrorSummary& errors) {
    return {{"mape", finite_or_null(errors.mape)},
            {"mape_interval", interval_json(errors.mape_interval)},
            {"median", finite_or_null(errors.median)},
            {"median_interval", interval_json(errors.median_interval)}};
}

ordered_json point_json(const Comparison& comparison, const ComparePoint& point) {
    const Measurement& measurement = comparison.measurements[point.measurement];
    ordered_json json = {{"kernel", measurement.kernel},
                         {"steps", count_json(point.steps)},
                         {"measured", measurement.measured},
                         {"predicted", point.predicted},
                         {"error", point.error},
                         {"fitted", finite_or_null(point.fitted)},
                         {"left_out", finite_or_null(point.left_out)}};
    if (point.prediction) {
        const SmPrediction& prediction = *point.prediction;
        json["interval"] = {prediction.low_us, prediction.high_us};
        json["closed_form"] = prediction.closed.us;
        json["limited_by"] = with_underscores(to_string(prediction.closed.binding));
        json["outside"] = prediction.outside;
    }
    return json;
}

ordered_json trend_json(const FunctionTrend& trend) {
    return {{"function", trend.function},
            {"launches", trend.launches},
            {"pearson", finite_or_null(trend.pearson)},
            {"spearman", finite_or_null(trend.spearman)},
            {"slope", finite_or_null(trend.slope)}};
}

ordered_json family_json(const Comparison& comparison, const FamilyComparison& family,
                         const CompareParts& parts) {
    ordered_json json;
    const auto correlation = [&](const char* name, const Correlation& value) {
        json[name] = finite_or_null(value.value);
        json[std::string(name) + "_interval"] = interval_json(value.interval);
    };
    json["family"] = to_string(family.family);
    correlation("pearson", family.pearson);
    correlation("spearman", family.spearman);
    correlation("kendall", family.kendall);
    correlation("log_correlation", family.log);
    json["mape"] = finite_or_null(family.predicted.mape);
    json["scale"] = {{"steps_per_" + (comparison.unit == "us" ? std::string("us") : std::string("cycle")),
                      finite_or_null(family.steps_per_unit)}};
    json["parameters"] = family.absolute ? 0 : 1;
    json["predicted"] = errors_json(family.predicted);
    json["one_parameter"] = errors_json(family.fitted);
    json["leave_one_kernel_out"] = errors_json(family.left_out);
    if (parts.functions) {
        json["functions"] = ordered_json::array();
        for (const FunctionTrend& trend : family.trends) json["functions"].push_back(trend_json(trend));
    }
    json["rows"] = ordered_json::array();
    for (const ComparePoint& point : family.points) json["rows"].push_back(point_json(comparison, point));
    return json;
}

}  // namespace

nlohmann::ordered_json to_json(const Comparison& comparison, const CompareParts& parts) {
    ordered_json json;
    json["count"] = comparison.measurements.size();
    json["unit"] = comparison.unit;
    json["interrupted"] = comparison.interrupted;
    if (comparison.clock_mhz > 0)
        json["clock"] = {{"mhz", count_json(comparison.clock_mhz)}, {"source", comparison.clock_source}};
    if (parts.totals) {
        json["totals"] = {{"measured", comparison.total}};
        for (const FamilyComparison& family : comparison.families)
            json["totals"][std::string(to_string(family.family))] = family.total;
    }
    const ordered_json first = family_json(comparison, comparison.families.front(), parts);
    json.update(first);
    json["families"] = ordered_json::array();
    for (const FamilyComparison& family : comparison.families)
        json["families"].push_back(family_json(comparison, family, parts));
    json["block_sweeps"] = ordered_json::array();
    for (const BlockSweep& sweep : comparison.sweeps) {
        const ordered_json sizes = threads_of(comparison, sweep.measurements);
        json["block_sweeps"].push_back(
            {{"kernel", sweep.function},
             {"threads", sizes},
             {"best_predicted", comparison.measurements[sweep.best_predicted].profile->threads},
             {"measured_rank", sweep.measured_rank},
             {"predicted_alike", threads_of(comparison, sweep.predicted_alike)},
             {"measured_alike", threads_of(comparison, sweep.measured_alike)}});
    }
    return json;
}

}  // namespace warpnet::studies
