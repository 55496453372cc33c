#include "cli/report/compare_report.hpp"

#include "analysis/studies/files/measured_columns.hpp"
#include "engine/base/text.hpp"
#include "engine/input/csv.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

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

std::string kernels_text(const Comparison& comparison, const FamilyComparison& family) {
    std::string text = fmt::format("{:<{}} {:>12} {:>12} {:>8}  {}\n", "kernel (blocks x threads)",
                                   name_width, "measured, " + comparison.unit, "predicted", "error",
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

std::string totals_text(const Comparison& comparison) {
    std::string text = fmt::format("all launches, one after the other: measured {:.6g} {}", comparison.total,
                                   comparison.unit);
    for (const FamilyComparison& family : comparison.families)
        text += fmt::format("; {} {:.6g} ({:+.1f} %)", to_string(family.family), family.total,
                            100 * (family.total / comparison.total - 1));
    return text + "\n";
}

/// The correlations of each function, one family beside the other, and their medians.
std::string trends_text(const Comparison& comparison) {
    std::string text = fmt::format(
        "\nper function: predicted times, of family warps steps, against measured times (Pearson, Spearman, "
        "slope: {} per unit)\n{:<28} {:>8}",
        comparison.unit, "function", "launches");
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

}  // namespace

std::string compare_text(const Comparison& comparison, const CompareParts& parts) {
    const FamilyComparison& first = comparison.families.front();
    std::string text =
        fmt::format("family {}\n\n", to_string(first.family)) + kernels_text(comparison, first);
    const bool marked = std::any_of(first.points.begin(), first.points.end(), [](const ComparePoint& point) {
        return point.prediction && !point.prediction->outside.empty();
    });
    if (marked) text += "* outside what this model can know ('warpnet predict' says why)\n";
    text += fmt::format(
        "\n{}; errors in % with 95 % bootstrap intervals; left out: with the one scale of the other "
        "kernels\n\n",
        plural(comparison.measurements.size(), "kernel"));
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
    if (parts.functions) text += trends_text(comparison);
    if (parts.totals) text += "\n" + totals_text(comparison);
    if (comparison.interrupted) text += "\ninterrupted: only the kernels above were compared\n";
    const std::string sweeps = sweeps_text(comparison);
    return text + (sweeps.empty() ? "" : "\n" + sweeps);
}

void print_columns() {
    const auto print = [](const std::string& title, const std::vector<MeasuredColumn>& columns) {
        fmt::print("{}\n", title);
        for (const MeasuredColumn& column : columns)
            fmt::print("  {:<26} {:<12} {}\n", column.name, column.unit, column.meaning);
    };
    print("A table of counts, one kernel a row (counts of one warp: the mean over all):", plain_columns());
    print("\nCounters of nvprof, one kernel a row, by thread or summed over all warps:", nvprof_columns());
    print("\nNsight Compute, by thread or summed over all warps:", nsight_columns());
    print("\nTables with times alone (Nsight Systems, nvbench, T4 of auto-tuners):", timed_columns());
}

}  // namespace warpnet::cli
