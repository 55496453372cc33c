// The texts of `predict`, `compare` and `devices`. One launch gets a report; several launches get a table
// with their total. A certificate always states that it holds for the model and not for the GPU. A star marks
// a prediction if an effect outside the model may apply.
//
// A reader may take a certified time for a time of the GPU. Each certificate therefore has its assumptions
// and the work that the net leaves out in the lines below it, and a table repeats them at its end. Names
// longer than their column lose their beginning.

#include "analysis/pictures/plots/line_plot_svg.hpp"
#include "analysis/pictures/svg_text.hpp"
#include "analysis/studies/files/measured_table.hpp"
#include "cli/output/notes.hpp"
#include "cli/report/texts.hpp"
#include "engine/base/text.hpp"
#include "engine/input/csv.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::cli {

std::string certificate_text(const studies::PredictedLaunch& launch, const std::string& indent) {
    const studies::SmWorstCase& worst = *launch.prediction.worst;
    std::string text = fmt::format(
        "{}at most     {:10.3f} µs   for every run of the net, {} ({} by the sum of its rates): {}\n", indent,
        worst.us, amount(worst.bound.steps, "step"), worst.sum_of_rates,
        launch.uncounted.empty() ? "certified for this model, not for the GPU"
                                 : "not certified, the net leaves out work of the kernel");
    for (const std::string& reason : launch.uncounted)
        text += fmt::format("{}  leaves out: {}\n", indent, reason);
    if (worst.found_us)
        text += fmt::format("{}found       {:10.3f} µs   the longest run that is known; {}\n", indent,
                            *worst.found_us, gap_text(*worst.found_us, worst.us));
    if (launch.deadline_us)
        text += fmt::format("{}deadline    {:10.3f} µs   {}\n", indent, *launch.deadline_us,
                            text_of(launch.verdict()));
    text += fmt::format("{}  proof: {}\n", indent, with_grouped_numbers(worst.bound.argument));
    for (const studies::Assumption& assumption : launch.assumptions)
        text += fmt::format("{}  assumes {}: {}\n", indent, assumption.about, assumption.text);
    return text;
}

namespace {

std::string occupancy_text(const studies::Occupancy& occupancy) {
    std::string text = fmt::format("  occupancy   {:10.0f} %    {} of {} warps on an SM, {}, limited by {}\n",
                                   100 * occupancy.share(), occupancy.warps, occupancy.warp_slots,
                                   amount(static_cast<std::uint64_t>(occupancy.blocks), "block"),
                                   fmt::join(occupancy.limited_by(), " and "));
    std::vector<std::string> alone;
    for (const studies::Occupancy::Limit& limit : occupancy.limits)
        if (limit.blocks) alone.push_back(fmt::format("{} {}", limit.resource, *limit.blocks));
    return text + fmt::format("    blocks that each resource alone allows: {}\n", fmt::join(alone, ", "));
}

/// The time of a launch in microseconds if one limit alone bound it, for the limits that apply.
struct LimitAlone {
    std::string_view name;
    double us;
};

std::vector<LimitAlone> limits_alone(const netgen::Device& device, const studies::SmPrediction& prediction) {
    std::vector<LimitAlone> limits;
    for (std::size_t i = 0; i < studies::sm_bound_count; ++i) {
        if (prediction.closed.cycles[i] > 0)
            limits.push_back({to_string(static_cast<studies::SmBound>(i)),
                              prediction.closed.cycles[i] / device.at("clock_mhz")});
    }
    return limits;
}

/// The guessed facts of a device, a long list shortened, and its clock if it is one of them.
std::string guesses_text(const netgen::Device& device) {
    std::vector<std::string> facts = studies::unverified_facts(device);
    const bool clock = std::erase(facts, "clock_mhz") > 0;
    if (facts.empty() && !clock) return "";
    constexpr std::size_t most = 8, shown = 6;
    std::string names;
    if (facts.size() > most) {
        const std::size_t more = facts.size() - shown;
        facts.resize(shown);
        names = fmt::format("{} and {} more (--json lists them)", fmt::join(facts, ", "), more);
    } else {
        names = fmt::format("{}", fmt::join(facts, ", "));
    }
    if (clock)
        names += fmt::format("{}the clock of {} MHz is a guess", names.empty() ? "" : "; ",
                             grouped(std::llround(device.at("clock_mhz"))));
    return fmt::format("  not verified for {}: {}\n", device.name, names);
}

/// The certificate without the guessed facts, which the report of one kernel lists at its end.
std::string certificate_of_report(studies::PredictedLaunch launch) {
    std::erase_if(launch.assumptions,
                  [](const studies::Assumption& one) { return one.about == "unverified"; });
    return certificate_text(launch, "  ");
}

std::string one_text(const netgen::Device& device, const studies::PredictedLaunch& launch) {
    const netgen::KernelProfile& kernel = launch.kernel;
    const studies::SmPrediction& prediction = launch.prediction;
    std::string text =
        fmt::format("{} on {}: {} of {}{}, {} of them on the busiest SM, {} at a time\n\n", kernel.name,
                    device.name, amount(static_cast<std::uint64_t>(kernel.blocks), "block"),
                    amount(static_cast<std::uint64_t>(kernel.threads), "thread"),
                    launch.assumed.empty()       ? ""
                    : launch.assumed.size() == 2 ? " (assumed)"
                                                 : fmt::format(" ({} assumed)", launch.assumed.front()),
                    prediction.blocks, prediction.resident);
    text += fmt::format("  predicted   {:10.3f} µs   {:.3f} to {:.3f} over the seeds{}\n", prediction.us,
                        prediction.low_us, prediction.high_us,
                        prediction.traffic ? "; the DRAM traffic of the whole kernel" : "");
    text += fmt::format("  closed form {:10.3f} µs   limited by {}\n", prediction.closed.us,
                        to_string(prediction.closed.binding));
    text += fmt::format("  net         {:>10} {} of {}{}\n", grouped(prediction.steps, 0),
                        prediction.steps == 1 ? "step" : "steps",
                        amount(static_cast<std::uint64_t>(prediction.step_cycles), "cycle"),
                        prediction.extrapolated ? ", extrapolated from the steady state" : "");
    text += occupancy_text(prediction.occupancy) + "\n";
    if (prediction.worst) text += certificate_of_report(launch) + "\n";
    text += "  each limit alone, µs:\n";
    for (const LimitAlone& limit : limits_alone(device, prediction))
        text += fmt::format("    {:<12} {:10.3f}\n", limit.name, limit.us);
    for (const std::string& reason : prediction.outside)
        text += fmt::format("  outside the scope of this model: {}\n", reason);
    return text + guesses_text(device);
}

}  // namespace

std::string predict_svg(const netgen::Device& device, const studies::PredictedLaunch& launch,
                        const pictures::PictureStyle& style) {
    const studies::SmPrediction& prediction = launch.prediction;
    pictures::LinePlot plot;
    plot.style = style;
    plot.title = fmt::format("{} on {}", launch.kernel.name, device.name);
    plot.notes = {fmt::format("{} µs predicted, limited by {}", grouped(prediction.us, 3),
                              to_string(prediction.closed.binding))};
    plot.x_name = "limit";
    pictures::PlotLine alone{"each limit alone", {}}, predicted{"predicted", {}};
    alone.bars = predicted.bars = true;
    const auto add = [&](pictures::PlotLine& bars, std::string_view name, double us) {
        bars.points.push_back({static_cast<double>(plot.x_labels.size()), us});
        plot.x_labels.emplace_back(name);
    };
    for (const LimitAlone& limit : limits_alone(device, prediction)) add(alone, limit.name, limit.us);
    add(predicted, "predicted", prediction.us);
    plot.panels.push_back({"µs", false, {std::move(alone), std::move(predicted)}});
    return pictures::line_plot_svg(plot);
}

std::string what_if_text(double us, const std::vector<studies::WhatIf>& answers) {
    std::string text = "  if one fact were twice as large:\n";
    for (const studies::WhatIf& answer : answers)
        text +=
            fmt::format("    {:<20} {:>10g} {:>12.3f} µs {:>+8.1f} %  limited by {}\n", answer.fact,
                        answer.value, answer.us, 100 * (answer.us / us - 1), to_string(answer.limited_by));
    if (answers.empty()) text += "    no fact changes the time\n";
    return text + "    (facts that are not listed change it by less than 0.1 %)\n";
}

std::string predict_text(const netgen::Device& device,
                         const std::vector<studies::PredictedLaunch>& launches) {
    if (launches.size() == 1 && launches.front().launches == 1) return one_text(device, launches.front());
    const bool worst = studies::has_worst_case(launches);
    const auto at_most = [&](const std::string& cell) {
        return worst ? fmt::format("{:>13}", cell) : std::string();
    };
    std::string text = fmt::format("{:<52} {:>9} {:>12}{} {:>13}  {}\n", "kernels on " + device.name,
                                   "launches", "µs/launch", at_most("at most"), "µs in total", "limited by");
    bool outside = false;
    for (const studies::PredictedLaunch& launch : launches) {
        std::string name = launch.kernel.name;
        if (name.size() > 52) name = name.substr(name.size() - 52);
        const std::optional<studies::SmWorstCase>& most = launch.prediction.worst;
        text += fmt::format("{:<52} {:>9} {:>12.3f}{} {:>13.3f}  {}{}\n", name, launch.launches,
                            launch.prediction.us, at_most(most ? fmt::format("{:.3f}", most->us) : "-"),
                            launch.prediction.us * static_cast<double>(launch.launches),
                            to_string(launch.prediction.closed.binding),
                            launch.prediction.outside.empty() ? "" : " *");
        outside |= !launch.prediction.outside.empty();
    }
    text += fmt::format("{:<52} {:>9} {:>12}{} {:>13.3f}\n", "all, one after the other", "", "", at_most(""),
                        studies::total_us(launches));
    if (worst) text += "at most: for every run of the net, certified for this model, not for the GPU\n";
    for (const studies::PredictedLaunch& launch : launches)
        if (worst && !launch.uncounted.empty())
            text += fmt::format("not certified: {}, the net leaves out: {}\n", launch.kernel.name,
                                fmt::join(launch.uncounted, "; "));
    for (const studies::PredictedLaunch& launch : launches)
        if (launch.deadline_us)
            text += fmt::format("deadline {:g} µs: {}: {}\n", *launch.deadline_us, launch.kernel.name,
                                text_of(launch.verdict()));
    if (outside) text += "* outside the scope of this model ('warpnet predict --row' prints the reason)\n";
    return text;
}

namespace {

constexpr std::size_t name_width = 44;

std::string short_name(const studies::Measurement& measurement) {
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

std::string with_interval(const char* format, double value, const studies::sample::Interval& interval) {
    if (std::isnan(value)) return "-";
    const std::string low = number_or_dash(format, interval.low),
                      high = number_or_dash(format, interval.high);
    return fmt::format("{} [{}, {}]", number_or_dash(format, value), low, high);
}

std::string kernels_text(const studies::Comparison& comparison, const studies::FamilyComparison& family) {
    std::string text =
        fmt::format("{:<{}} {:>12} {:>12} {:>8}  {}\n", "kernel (blocks x threads)", name_width,
                    fmt::format("measured, {}", pictures::shown_unit(comparison.unit)), "predicted", "error",
                    family.family == studies::ModelFamily::sm ? "limited by" : "");
    for (const studies::ComparePoint& point : family.points) {
        const studies::Measurement& measurement = comparison.measurements[point.measurement];
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

/// The block sizes, inserted into the text; empty if there are none.
std::string alike_text(const studies::Comparison& comparison, const std::vector<std::size_t>& alike,
                       const char* text) {
    std::string sizes;
    for (const std::size_t i : alike)
        sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", comparison.measurements[i].profile->threads);
    return sizes.empty() ? "" : fmt::format(fmt::runtime(text), sizes);
}

std::string totals_text(const studies::Comparison& comparison) {
    std::string text = fmt::format("all launches, one after the other: measured {:.6g} {}", comparison.total,
                                   comparison.unit);
    for (const studies::FamilyComparison& family : comparison.families)
        text += fmt::format("; {} {:.6g} ({:+.1f} %)", to_string(family.family), family.total,
                            100 * (family.total / comparison.total - 1));
    return text + "\n";
}

/// The correlations of each function with their medians; families are in adjacent columns.
std::string trends_text(const studies::Comparison& comparison) {
    std::string text = fmt::format(
        "\nper function: predicted times (steps for family warps) against measured times (Pearson, Spearman, "
        "slope: {} per unit)\n{:<28} {:>8}",
        comparison.unit, "function", "launches");
    for (const studies::FamilyComparison& family : comparison.families)
        text += fmt::format("  {:^24}", to_string(family.family));
    text += "\n";
    std::vector<std::vector<double>> pearson(comparison.families.size()), spearman(pearson.size());
    for (std::size_t i = 0; i < comparison.families.front().trends.size(); ++i) {
        const studies::FunctionTrend& first = comparison.families.front().trends[i];
        text += fmt::format("{:<28} {:>8}", first.function, first.launches);
        for (std::size_t f = 0; f < pearson.size(); ++f) {
            const studies::FunctionTrend& trend = comparison.families[f].trends[i];
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
        text +=
            fmt::format("  {:>6} {:>6} {:>10}", number_or_dash("{:.3f}", studies::sample::median(pearson[f])),
                        number_or_dash("{:.3f}", studies::sample::median(spearman[f])), "");
    while (text.back() == ' ') text.pop_back();
    return text + "\n";
}

std::string sweeps_text(const studies::Comparison& comparison) {
    std::string text;
    for (const studies::BlockSweep& sweep : comparison.sweeps) {
        const netgen::KernelProfile& best = *comparison.measurements[sweep.best_predicted].profile;
        text +=
            fmt::format("block size of {}, {} threads in all: {} predicted as the best of", sweep.function,
                        with_grouped_numbers(std::to_string(best.blocks * best.threads)), best.threads);
        std::string separator = " ";
        for (const std::size_t i : sweep.measurements) {
            text += fmt::format("{}{}", separator, comparison.measurements[i].profile->threads);
            separator = ", ";
        }
        text += alike_text(comparison, sweep.predicted_alike, " (predictions overlap with {})");
        text += fmt::format("; its measured rank is {}", sweep.measured_rank);
        text += alike_text(comparison, sweep.measured_alike,
                           ", no further from {} than repeated launches differ");
        text += "\n";
    }
    return text;
}

}  // namespace

std::string compare_text(const studies::Comparison& comparison, const studies::CompareParts& parts) {
    // With two or three rows, the bootstrap interval means nothing.
    constexpr std::size_t least_for_intervals = 4;
    const bool few = comparison.measurements.size() < least_for_intervals;
    const auto shown = [few](const char* format, double value, const studies::sample::Interval& interval) {
        return few ? number_or_dash(format, value) : with_interval(format, value, interval);
    };
    const studies::FamilyComparison& first = comparison.families.front();
    std::string text =
        fmt::format("family {}\n\n", to_string(first.family)) + kernels_text(comparison, first);
    const bool marked =
        std::any_of(first.points.begin(), first.points.end(), [](const studies::ComparePoint& point) {
            return point.prediction && !point.prediction->outside.empty();
        });
    if (marked) text += "* outside the scope of this model ('warpnet predict' prints the reason)\n";
    text += fmt::format("\n{}; errors in %{}; left out: with the scale of the other kernels\n\n",
                        amount(comparison.measurements.size(), "kernel"),
                        few ? ", too few for intervals" : " with 95 % bootstrap intervals");
    text += fmt::format("{:<12} {:<9} {:<20} {:<20} {:>13} {:>7} {:>15}\n", "family", "fitted", "MAPE",
                        "median", "1 scale: MAPE", "median", "left out: MAPE");
    for (const studies::FamilyComparison& family : comparison.families) {
        text += fmt::format("{:<12} {:<9} {:<20} {:<20} {:>13} {:>7} {:>15}\n", to_string(family.family),
                            family.absolute ? "nothing" : "1 scale",
                            shown("{:.1f}", family.predicted.mape, family.predicted.mape_interval),
                            shown("{:.1f}", family.predicted.median, family.predicted.median_interval),
                            number_or_dash("{:.1f}", family.fitted.mape),
                            number_or_dash("{:.1f}", family.fitted.median),
                            number_or_dash("{:.1f}", family.left_out.mape));
    }
    text += fmt::format("\n{:<12} {:<22} {:<22} {:<22} {:<22}\n", "family", "Spearman", "Kendall", "Pearson",
                        "of the logarithms");
    for (const studies::FamilyComparison& family : comparison.families) {
        text += fmt::format("{:<12} {:<22} {:<22} {:<22} {:<22}\n", to_string(family.family),
                            shown("{:.3f}", family.spearman.value, family.spearman.interval),
                            shown("{:.3f}", family.kendall.value, family.kendall.interval),
                            shown("{:.3f}", family.pearson.value, family.pearson.interval),
                            shown("{:.3f}", family.log.value, family.log.interval));
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
    const auto print = [](const std::string& title, const std::vector<studies::MeasuredColumn>& columns) {
        fmt::print("{}\n", title);
        for (const studies::MeasuredColumn& column : columns)
            fmt::print("  {:<26} {:<12} {}\n", column.name, column.unit, column.meaning);
    };
    print("A table of counts, one kernel per row (counts of one warp: the mean over all):",
          studies::plain_columns());
    print("\nCounters of nvprof, one kernel per row, per thread or summed over all warps:",
          studies::nvprof_columns());
    print("\nNsight Compute, per thread or summed over all warps:", studies::nsight_columns());
    print("\nTables with times only (Nsight Systems, nvbench, T4 of auto-tuners):", studies::timed_columns());
}

namespace {

std::string cell(const netgen::Device& device, std::string_view column) {
    const auto found = device.facts.find(column);
    if (found == device.facts.end()) return "-";
    return fmt::format("{:g}{}", found->second.value, found->second.verified ? "" : "?");
}

}  // namespace

std::string overview_csv(const std::vector<netgen::Device>& devices) {
    std::string text = "device,arch,cc,SMs,sched,fp32,fp64,shared,L2,DRAM,MHz,GB/s\n";
    for (const netgen::Device& device : devices) {
        text += fmt::format("{},{},{}", device.name, device.architecture, device.compute_capability);
        for (const char* fact : {"sms", "schedulers", "fp32", "fp64", "lat_shared", "lat_l2", "lat_dram",
                                 "clock_mhz", "dram_gbs"})
            text += "," + cell(device, fact);
        text += "\n";
    }
    return text;
}

void print_overview(const std::vector<netgen::Device>& devices) {
    fmt::print("{:<17} {:<9} {:>4} {:>5} {:>6} {:>6} {:>6} {:>7} {:>7} {:>6} {:>7} {:>8}\n", "device", "arch",
               "cc", "SMs", "sched", "fp32", "fp64", "shared", "L2", "DRAM", "MHz", "GB/s");
    for (const netgen::Device& device : devices) {
        fmt::print("{:<17} {:<9} {:>4} {:>5} {:>6} {:>6} {:>6} {:>7} {:>7} {:>6} {:>7} {:>8}\n", device.name,
                   device.architecture, device.compute_capability, cell(device, "sms"),
                   cell(device, "schedulers"), cell(device, "fp32"), cell(device, "fp64"),
                   cell(device, "lat_shared"), cell(device, "lat_l2"), cell(device, "lat_dram"),
                   cell(device, "clock_mhz"), cell(device, "dram_gbs"));
    }
    fmt::print(
        "\nshared, L2, DRAM: latencies in cycles; ?: not verified; -: unknown. 'warpnet devices NAME' shows "
        "all facts and\ntheir sources.\n");
}

void print_device(const netgen::DeviceTable& table, const netgen::Device& device) {
    fmt::print("{} ({}, compute capability {})\n\n", device.name, device.architecture,
               device.compute_capability);
    std::vector<std::string> used;
    for (const netgen::DeviceColumn& column : netgen::device_columns()) {
        const auto found = device.facts.find(column.name);
        const std::string source = found == device.facts.end() ? "" : found->second.source;
        fmt::print("  {:<16} {:>8} {:<8} {:<14} {}\n", column.name, cell(device, column.name), column.unit,
                   source, column.meaning);
        for (std::size_t begin = 0; begin < source.size();) {
            const std::size_t end = std::min(source.find('/', begin), source.size());
            const std::string key = source.substr(begin, end - begin);
            if (std::find(used.begin(), used.end(), key) == used.end()) used.push_back(key);
            begin = end + 1;
        }
    }
    fmt::print("\n?: not verified; -: unknown\n");
    if (const auto missing = netgen::missing_facts(device); !missing.empty())
        fmt::print("no source was found for the unknown facts: 'predict' and 'compare' need --set {}=VALUE\n",
                   fmt::join(missing, "=VALUE,"));
    for (const std::string& key : used) {
        const auto found = table.sources.find(key);
        if (found != table.sources.end()) fmt::print("  {} = {}\n", key, found->second);
    }
}

void print_measured_text(const studies::MeasuredDevice& measured, const netgen::Device* preset,
                         const std::vector<studies::FactDifference>& differences) {
    fmt::print("{}", netgen::write_device_table(measured.device, measured.sources));
    for (const std::string& missing : measured.missing) print_note("warpnet: not measured: {}\n", missing);
    if (!measured.ignored.empty())
        print_note("warpnet: ignored columns: {}\n", fmt::join(measured.ignored, ", "));
    if (preset == nullptr) {
        print_note("warpnet: no preset matches the device '{}'\n", measured.device.name);
        return;
    }
    print_note("warpnet: {} {} from the preset {}\n", amount(differences.size(), "fact"),
               differences.size() == 1 ? "differs" : "differ", preset->name);
    if (differences.empty()) return;
    const auto text = [](std::optional<double> value) { return value ? fmt::format("{:g}", *value) : "-"; };
    print_note("  {:<16} {:>9} {:>9}\n", "fact", "measured", "preset");
    for (const studies::FactDifference& one : differences)
        print_note("  {:<16} {:>9} {:>9}\n", one.column, text(one.measured), text(one.preset));
}

}  // namespace warpnet::cli
