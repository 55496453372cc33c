#include "cli/report/compare_report.hpp"

#include "engine/input/csv.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

constexpr std::size_t name_width = 44;

std::string short_name(const Measurement& measurement) {
    std::string name = measurement.function;
    if (measurement.profile)
        name += fmt::format(" {}x{}", measurement.profile->blocks, measurement.profile->threads);
    if (!measurement.profile) name = measurement.kernel;
    if (name.size() > name_width) name = name.substr(name.size() - name_width);
    return name;
}

std::string number_or_dash(const char* format, double value) {
    return std::isnan(value) ? "-" : fmt::format(fmt::runtime(format), value);
}

std::string with_interval(const char* format, double value, const sample::Interval& interval) {
    if (std::isnan(value)) return "-";
    const std::string low = number_or_dash(format, interval.low),
                      high = number_or_dash(format, interval.high);
    return fmt::format("{} [{}, {}]", number_or_dash(format, value), low, high);
}

std::string kernels_text(const Comparison& comparison, const FamilyComparison& family,
                         const std::string& unit) {
    std::string text = fmt::format("{:<{}} {:>12} {:>12} {:>8}  {}\n", "kernel (blocks x threads)",
                                   name_width, "measured, " + unit, "predicted", "error",
                                   family.family == ModelFamily::sm ? "limited by" : "");
    for (const ComparePoint& point : family.points) {
        const Measurement& measurement = comparison.measurements[point.measurement];
        text += fmt::format("{:<{}} {:>12.4g} {:>12.4g} {:>7.1f}%", short_name(measurement), name_width,
                            measurement.measured, point.predicted, 100 * point.error);
        if (point.prediction) {
            text += fmt::format("  {}{}", to_string(point.prediction->closed.binding),
                                point.prediction->outside.empty() ? "" : " *");
        }
        text += "\n";
    }
    return text;
}

/// The block sizes, put into the text; nothing where there are none.
std::string alike_text(const Comparison& comparison, const std::vector<std::size_t>& alike,
                       const char* text) {
    std::string sizes;
    for (const std::size_t i : alike)
        sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", comparison.measurements[i].profile->threads);
    return sizes.empty() ? "" : fmt::format(fmt::runtime(text), sizes);
}

std::string totals_text(const Comparison& comparison, const std::string& unit) {
    std::string text =
        fmt::format("all launches, one after the other: measured {:.6g} {}", comparison.total, unit);
    for (const FamilyComparison& family : comparison.families)
        text += fmt::format("; {} {:.6g} ({:+.1f} %)", to_string(family.family), family.total,
                            100 * (family.total / comparison.total - 1));
    return text + "\n";
}

/// The correlations of each function, one family beside the other, and their medians.
std::string trends_text(const Comparison& comparison, const std::string& unit) {
    std::string text = fmt::format(
        "\nper function: predicted times, of family warps steps, against measured times (Pearson, Spearman, "
        "slope: {} per unit)\n{:<28} {:>8}",
        unit, "function", "launches");
    for (const FamilyComparison& family : comparison.families)
        text += fmt::format("  {:^24}", to_string(family.family));
    text += "\n";
    std::vector<std::vector<double>> pearson(comparison.families.size()), spearman(pearson.size());
    for (std::size_t i = 0; i < comparison.families.front().trends.size(); ++i) {
        const FunctionTrend& first = comparison.families.front().trends[i];
        text += fmt::format("{:<28} {:>8}", first.function, first.launches);
        for (std::size_t f = 0; f < pearson.size(); ++f) {
            const FunctionTrend& trend = comparison.families[f].trends[i];
            if (!std::isnan(trend.pearson)) pearson[f].push_back(trend.pearson);
            if (!std::isnan(trend.spearman)) spearman[f].push_back(trend.spearman);
            text +=
                fmt::format("  {:>6} {:>6} {:>10}", number_or_dash("{:.3f}", trend.pearson),
                            number_or_dash("{:.3f}", trend.spearman), number_or_dash("{:.3g}", trend.slope));
        }
        text += "\n";
    }
    text += fmt::format("{:<37}", "median");
    for (std::size_t f = 0; f < pearson.size(); ++f)
        text += fmt::format("  {:>6} {:>6} {:>10}", number_or_dash("{:.3f}", sample::median(pearson[f])),
                            number_or_dash("{:.3f}", sample::median(spearman[f])), "");
    while (text.back() == ' ') text.pop_back();
    return text + "\n";
}

std::string sweeps_text(const Comparison& comparison) {
    std::string text;
    for (const BlockSweep& sweep : comparison.sweeps) {
        text += fmt::format("block size of {}: {} threads predicted as the best of", sweep.function,
                            comparison.measurements[sweep.best_predicted].profile->threads);
        std::string separator = " ";
        for (const std::size_t i : sweep.measurements) {
            text += fmt::format("{}{}", separator, comparison.measurements[i].profile->threads);
            separator = ", ";
        }
        text += alike_text(comparison, sweep.predicted_alike, " (predictions overlap with {})");
        text += fmt::format("; measured it is number {}", sweep.measured_rank);
        text += alike_text(comparison, sweep.measured_alike,
                           ", no further from {} than launches are from one another");
        text += "\n";
    }
    return text;
}

nlohmann::ordered_json threads_of(const Comparison& comparison,
                                  const std::vector<std::size_t>& measurements) {
    nlohmann::ordered_json sizes = nlohmann::ordered_json::array();
    for (const std::size_t i : measurements) sizes.push_back(comparison.measurements[i].profile->threads);
    return sizes;
}

nlohmann::ordered_json number_json(double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json interval_json(const sample::Interval& interval) {
    return {number_json(interval.low), number_json(interval.high)};
}

nlohmann::ordered_json errors_json(const ErrorSummary& errors) {
    return {{"mape", number_json(errors.mape)},
            {"mape_interval", interval_json(errors.mape_interval)},
            {"median", number_json(errors.median)},
            {"median_interval", interval_json(errors.median_interval)}};
}

nlohmann::ordered_json point_json(const Comparison& comparison, const ComparePoint& point) {
    const Measurement& measurement = comparison.measurements[point.measurement];
    nlohmann::ordered_json json = {{"kernel", measurement.kernel},
                                   {"steps", point.steps},
                                   {"measured", measurement.measured},
                                   {"predicted", point.predicted},
                                   {"error", point.error},
                                   {"fitted", number_json(point.fitted)},
                                   {"left_out", number_json(point.left_out)}};
    if (point.prediction) {
        const SmPrediction& prediction = *point.prediction;
        json["interval"] = {prediction.low_us, prediction.high_us};
        json["closed_form"] = prediction.closed.us;
        json["limited_by"] = to_string(prediction.closed.binding);
        json["outside"] = prediction.outside;
    }
    return json;
}

nlohmann::ordered_json trend_json(const FunctionTrend& trend) {
    return {{"function", trend.function},
            {"launches", trend.launches},
            {"pearson", number_json(trend.pearson)},
            {"spearman", number_json(trend.spearman)},
            {"slope", number_json(trend.slope)}};
}

nlohmann::ordered_json family_json(const Comparison& comparison, const FamilyComparison& family,
                                   const std::string& unit, const CompareParts& parts) {
    nlohmann::ordered_json json;
    const auto correlation = [&](const char* name, const Correlation& value) {
        json[name] = number_json(value.value);
        json[std::string(name) + "_interval"] = interval_json(value.interval);
    };
    json["family"] = to_string(family.family);
    correlation("pearson", family.pearson);
    correlation("spearman", family.spearman);
    correlation("kendall", family.kendall);
    correlation("log_correlation", family.log);
    json["mape"] = number_json(family.predicted.mape);
    json["scale"] = {{"steps_per_" + (unit == "us" ? std::string("us") : std::string("cycle")),
                      number_json(family.steps_per_unit)}};
    json["parameters"] = family.absolute ? 0 : 1;
    json["predicted"] = errors_json(family.predicted);
    json["one_parameter"] = errors_json(family.fitted);
    json["leave_one_kernel_out"] = errors_json(family.left_out);
    if (parts.functions) {
        json["functions"] = nlohmann::ordered_json::array();
        for (const FunctionTrend& trend : family.trends) json["functions"].push_back(trend_json(trend));
    }
    json["points"] = nlohmann::ordered_json::array();
    for (const ComparePoint& point : family.points) json["points"].push_back(point_json(comparison, point));
    return json;
}

}  // namespace

std::string compare_text(const Comparison& comparison, const std::string& unit, const CompareParts& parts) {
    const FamilyComparison& first = comparison.families.front();
    std::string text =
        fmt::format("family {}\n\n", to_string(first.family)) + kernels_text(comparison, first, unit);
    const bool marked = std::any_of(first.points.begin(), first.points.end(), [](const ComparePoint& point) {
        return point.prediction && !point.prediction->outside.empty();
    });
    if (marked) text += "* outside what this model can know ('warpnet predict' says why)\n";
    text += fmt::format(
        "\n{} kernels; errors in % with 95 % bootstrap intervals; left out: with the one scale of the other "
        "kernels\n\n",
        comparison.measurements.size());
    text += fmt::format("{:<12} {:<9} {:<20} {:<20} {:>13} {:>7} {:>15}\n", "family", "fitted", "MAPE",
                        "median", "1 scale: MAPE", "median", "left out: MAPE");
    for (const FamilyComparison& family : comparison.families) {
        text += fmt::format(
            "{:<12} {:<9} {:<20} {:<20} {:>13} {:>7} {:>15}\n", to_string(family.family),
            family.absolute ? "nothing" : "1 scale",
            with_interval("{:.1f}", family.predicted.mape, family.predicted.mape_interval),
            with_interval("{:.1f}", family.predicted.median, family.predicted.median_interval),
            number_or_dash("{:.1f}", family.fitted.mape), number_or_dash("{:.1f}", family.fitted.median),
            number_or_dash("{:.1f}", family.left_out.mape));
    }
    text += fmt::format("\n{:<12} {:<22} {:<22} {:<22} {:<22}\n", "family", "Spearman", "Kendall", "Pearson",
                        "of the logarithms");
    for (const FamilyComparison& family : comparison.families) {
        text += fmt::format("{:<12} {:<22} {:<22} {:<22} {:<22}\n", to_string(family.family),
                            with_interval("{:.3f}", family.spearman.value, family.spearman.interval),
                            with_interval("{:.3f}", family.kendall.value, family.kendall.interval),
                            with_interval("{:.3f}", family.pearson.value, family.pearson.interval),
                            with_interval("{:.3f}", family.log.value, family.log.interval));
    }
    if (comparison.clock_mhz > 0 && comparison.clock_source != "of the preset")
        text += fmt::format("\nclock: {:.0f} MHz, {}\n", comparison.clock_mhz, comparison.clock_source);
    if (parts.functions) text += trends_text(comparison, unit);
    if (parts.totals) text += "\n" + totals_text(comparison, unit);
    if (comparison.interrupted) text += "\ninterrupted: only the kernels above were compared\n";
    const std::string sweeps = sweeps_text(comparison);
    return text + (sweeps.empty() ? "" : "\n" + sweeps);
}

std::string compare_csv(const Comparison& comparison, const std::string& unit) {
    std::string text = fmt::format("kernel,blocks,threads,launches,measured_{}", unit);
    for (const FamilyComparison& family : comparison.families)
        text += fmt::format(",{0}_{1},{0}_error_percent", to_string(family.family), unit);
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

nlohmann::ordered_json compare_json(const Comparison& comparison, const std::string& unit,
                                    const CompareParts& parts) {
    nlohmann::ordered_json json;
    json["rows"] = comparison.measurements.size();
    json["unit"] = unit;
    json["interrupted"] = comparison.interrupted;
    if (comparison.clock_mhz > 0)
        json["clock"] = {{"mhz", comparison.clock_mhz}, {"source", comparison.clock_source}};
    if (parts.totals) {
        json["totals"] = {{"measured", comparison.total}};
        for (const FamilyComparison& family : comparison.families)
            json["totals"][std::string(to_string(family.family))] = family.total;
    }
    const nlohmann::ordered_json first = family_json(comparison, comparison.families.front(), unit, parts);
    json.update(first);
    json["families"] = nlohmann::ordered_json::array();
    for (const FamilyComparison& family : comparison.families)
        json["families"].push_back(family_json(comparison, family, unit, parts));
    json["block_sweeps"] = nlohmann::ordered_json::array();
    for (const BlockSweep& sweep : comparison.sweeps) {
        const nlohmann::ordered_json sizes = threads_of(comparison, sweep.measurements);
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

}  // namespace warpnet::cli
