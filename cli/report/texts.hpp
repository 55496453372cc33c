#pragma once

#include "analysis/pictures/picture_style.hpp"
#include "analysis/states/properties/answers.hpp"
#include "analysis/states/properties/figures.hpp"
#include "analysis/states/structure/net_structure.hpp"
#include "analysis/studies/compare/compare_json.hpp"
#include "analysis/studies/compare/tune.hpp"
#include "analysis/studies/files/measured_device.hpp"
#include "analysis/studies/predict/predict.hpp"
#include "analysis/studies/predict/predict_json.hpp"
#include "analysis/studies/predict/what_if.hpp"
#include "analysis/studies/respond/respond_report.hpp"
#include "analysis/studies/runs/distribution_json.hpp"
#include "analysis/studies/runs/run_json.hpp"
#include "analysis/studies/runs/sweep.hpp"
#include "analysis/studies/split/split_report.hpp"
#include "analysis/worst/bounds/deadline_verdict.hpp"
#include "analysis/worst/worst_case.hpp"
#include "cli/input/options.hpp"
#include "cli/input/ptx_input.hpp"
#include "cli/input/task_input.hpp"
#include "cli/shell/exit_code.hpp"
#include "engine/formula/formula.hpp"
#include "engine/net/net.hpp"
#include "engine/run/run.hpp"
#include "netgen/code/ptx/report.hpp"
#include "netgen/sm/presets.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json_fwd.hpp>

namespace warpnet::cli {

/// Adds the line "  what                   value" of a report.
inline void add_row(std::string& text, std::string_view what, const std::string& value) {
    text += fmt::format("  {:<22} {}\n", what, value);
}

/// Digits as text shows a whole number, with a sign or without: 7,127.
std::string grouped_digits(std::string_view digits);
template <class Integer>
std::string grouped(Integer number) {
    return grouped_digits(std::to_string(number));
}
/// The same with decimals: 7,127.50.
std::string grouped(double number, int decimals);
/// "1 step", "7,127 steps".
std::string amount(std::uint64_t count, std::string_view noun);
/// The whole numbers in a sentence of a library, grouped; words that contain letters stay.
std::string with_grouped_numbers(std::string_view sentence);

std::string run_text(const studies::RunReport& report);
/// The reports of the same net under several semantics: columns of a table.
std::string semantics_text(std::span<const studies::RunReport> reports);

/// done if every run that was asked for reached a dead marking, met the condition or followed its schedule.
ExitCode exit_code_of(const studies::RunReport& report);

std::string distribution_text(const Net& net, const worst::StepDistribution& distribution);

/// done if the distribution is complete and every run ends.
ExitCode exit_code_of(const worst::StepDistribution& distribution);

/// `bound`: no run takes more steps, whatever the policy; absent: none is known.
std::string tail_text(const studies::TailEstimate& tail, const std::optional<worst::QuickBound>& bound);

/// 0 certified, 1 a run takes longer, 4 open.
ExitCode deadline_exit_code(worst::DeadlineVerdict verdict);
std::string text_of(worst::DeadlineVerdict verdict);
/// The gap between a known run and a bound, of the longer one: "gap 1.8 %".
std::string gap_text(double found, double bound);

std::string sweep_text(const studies::SweepReport& report);
/// A header and a row for each value; shares from 0 to 1, nothing if a value is not known.
std::string sweep_csv(const studies::SweepReport& report);
/// Steps over the parameter; with statistics a second picture: hubs in use, and steps without use. Below the
/// title the machine and the arguments of `generate`, with the range.
std::string sweep_svg(const studies::SweepReport& report, const std::string& arguments,
                      const pictures::PictureStyle& style);
ExitCode exit_code_of(const studies::SweepReport& report);

/// `all_bounds`: the bound of each place.
std::string explore_text(const Net& net, const states::StateFigures& figures, bool all_bounds);

/// limit if the figures or a graph that was asked for are incomplete.
ExitCode exit_code_of(const states::StateFigures& figures);

/// Answers to the questions of `explore`.
struct PropertyReport {
    const Net& net;
    Semantics semantics;
    const std::vector<Property>& properties;
    const states::Answers& answers;
};

/// `single`: one question of the command line, with its witness; else those of a file, one a line.
std::string property_text(const PropertyReport& report, bool single);

/// limit if an answer is missing, no if one is no, done otherwise.
ExitCode exit_code_of(const PropertyReport& report);

/// What `inspect` prints of the structure of a net. It names the limits that were reached.
std::string structure_text(const Net& net, const states::Structure& structure);

/// What `worst` knows besides the answer of the library.
struct WorstAnswer {
    const studies::PredictedLaunch* launch = nullptr;  ///< the whole launch of the kernel, if it is known
    std::optional<netgen::Device> device = {};         ///< of the launch
    std::optional<Deadline> deadline = {};
    std::optional<worst::DeadlineVerdict> verdict = {};  ///< on the deadline
    bool schedule = false;                               ///< JSON: with the schedule
};
/// Whether the answer meets its deadline. REQUIRES: it has one.
worst::DeadlineVerdict deadline_verdict(const worst::WorstCase& worst, const WorstAnswer& answer);
std::string worst_text(const Net& net, const worst::WorstCase& worst, const WorstAnswer& answer);
nlohmann::ordered_json worst_json(const Net& net, const worst::WorstCase& worst, const WorstAnswer& answer);
ExitCode worst_exit_code(const worst::WorstCase& worst);

/// With where block times come from, and the assumptions behind them, each once.
std::string respond_text(const LoadedTasks& loaded, const studies::RespondReport& report);
nlohmann::ordered_json respond_json(const LoadedTasks& loaded, const studies::RespondReport& report,
                                    bool jobs);

/// Refuses the name of such a file that ends as no format of graphs does: wrong usage.
void check_cfg_output(const std::string& flag, const std::string& file);
/// The annotated graph, in the format that the name of the file says.
std::string annotated_cfg(const std::string& file, const netgen::StructuredCfg& cfg,
                          const netgen::CfgAnnotation& annotation);
/// The same as comments in the PTX that the graph came from.
std::string annotated_source(const netgen::PtxInput& input, const netgen::StructuredCfg& cfg,
                             const netgen::CfgAnnotation& annotation);

/// `unit`: of times, "instructions".
std::string split_text(const studies::SplitReport& report, std::string_view unit);
std::string study_text(const studies::SplitStudy& study, const studies::SplitStudyOptions& options);
/// WCET and seconds of every method over the graphs, means if several have one label: [Klashtorny24]
/// Figures 5 and 6, both with powers of ten.
std::string study_svg(const studies::SplitStudy& study, const studies::SplitStudyOptions& options,
                      const pictures::PictureStyle& style);

/// `done` also for work that only met its own limit of effort.
ExitCode exit_code_of(WorkEnd end);

std::string ptx_text(const netgen::PtxFileReport& file);

/// What no run of a launch exceeds, with its proof and all that it rests on. REQUIRES: the launch has it.
std::string certificate_text(const studies::PredictedLaunch& launch, const std::string& indent);

/// What `predict` prints: everything about one kernel, or a line for each of several and their total.
std::string predict_text(const netgen::Device& device, const std::vector<studies::PredictedLaunch>& launches);

/// `us`: the time on the device as it is.
std::string what_if_text(double us, const std::vector<studies::WhatIf>& answers);

/// The launches of a space by predicted time, those that were left out, and how well the order fits measured
/// times.
std::string tune_text(const netgen::Device& device, const studies::TunedSpace& space);
/// Predicted times over the axis of numbers with the most values, a line for each combination of the others;
/// over their rank, next to the measured ones, if those are known or there are too many lines.
std::string tune_svg(const netgen::Device& device, const studies::TunedSpace& space,
                     const pictures::PictureStyle& style);

/// What `compare` prints.
std::string compare_text(const studies::Comparison& comparison, const studies::CompareParts& parts = {});
/// Prints the columns that tables may have, with units and meanings.
void print_columns();

// What `devices` prints.

/// The same as a table in CSV.
std::string overview_csv(const std::vector<netgen::Device>& devices);
/// A line for each.
void print_overview(const std::vector<netgen::Device>& devices);
/// All facts of one with their sources.
void print_device(const netgen::DeviceTable& table, const netgen::Device& device);
/// Its table; how it differs from the preset, if there is one, goes to stderr.
void print_measured_text(const studies::MeasuredDevice& measured, const netgen::Device* preset,
                         const std::vector<studies::FactDifference>& differences);

}  // namespace warpnet::cli
