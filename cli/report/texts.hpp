#pragma once

#include "analysis/pictures/picture_style.hpp"
#include "analysis/states/explore/coverability_graph.hpp"
#include "analysis/states/properties/answers.hpp"
#include "analysis/states/properties/figures.hpp"
#include "analysis/states/structure/net_structure.hpp"
#include "analysis/studies/compare/compare_json.hpp"
#include "analysis/studies/compare/tune.hpp"
#include "analysis/studies/files/measured_device.hpp"
#include "analysis/studies/predict/assumptions.hpp"
#include "analysis/studies/predict/predict.hpp"
#include "analysis/studies/predict/predict_json.hpp"
#include "analysis/studies/respond/respond_report.hpp"
#include "analysis/studies/runs/run_json.hpp"
#include "analysis/studies/runs/sweep.hpp"
#include "analysis/studies/split/split_report.hpp"
#include "analysis/worst/bounds/step_bound.hpp"
#include "analysis/worst/worst_case.hpp"
#include "cli/input/options.hpp"
#include "cli/input/ptx_input.hpp"
#include "cli/input/task_input.hpp"
#include "cli/output/numbers.hpp"
#include "cli/shell/exit_code.hpp"
#include "engine/base/text.hpp"
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

std::string run_text(const studies::RunReport& report);
/// The reports of one net under several semantics: columns of a table.
std::string semantics_text(std::span<const studies::RunReport> reports);

/// done if every requested run reached a dead marking, met the condition or followed its schedule.
ExitCode exit_code_of(const studies::RunReport& report);

std::string distribution_text(const Net& net, const worst::StepDistribution& distribution);

/// done if the distribution is complete and every run ends.
ExitCode exit_code_of(const worst::StepDistribution& distribution);

/// `bound`: no run takes more steps under any policy; absent: unknown.
std::string tail_text(const studies::TailEstimate& tail, const std::optional<worst::QuickBound>& bound);

/// 0 certified, 1 a run takes longer, 4 open.
ExitCode deadline_exit_code(worst::DeadlineVerdict verdict);
std::string text_of(worst::DeadlineVerdict verdict);
/// The gap between a known run and a bound, relative to the longer one: "gap 1.8 %".
std::string gap_text(double found, double bound);

std::string sweep_text(const studies::SweepReport& report);
/// A header, and a row for each value. Shares are from 0 to 1. A cell is empty if its value is unknown.
std::string sweep_csv(const studies::SweepReport& report);
/// Plots steps over the parameter; with statistics a second picture shows the use of hubs and the steps
/// without use. The machine and the arguments of `generate`, with the range, are below the title.
std::string sweep_svg(const studies::SweepReport& report, const std::string& arguments,
                      const pictures::PictureStyle& style);
ExitCode exit_code_of(const studies::SweepReport& report);

/// `all_bounds`: the bound of each place.
std::string explore_text(const Net& net, const states::StateFigures& figures, bool all_bounds);

std::string coverability_text(const Net& net, const states::CoverabilityGraph& graph);

/// limit if the graph is incomplete.
ExitCode exit_code_of(const states::CoverabilityGraph& graph);

/// limit if the figures or a requested graph are incomplete.
ExitCode exit_code_of(const states::StateFigures& figures);

/// Answers to the questions of `explore`.
struct PropertyReport {
    const Net& net;
    Semantics semantics;
    const std::vector<Property>& properties;
    const states::Answers& answers;
};

/// `single`: one question of the command line, with its witness; else the questions of a file, one per line.
std::string property_text(const PropertyReport& report, bool single);

/// limit if an answer is missing, no if one answer is no, done otherwise.
ExitCode exit_code_of(const PropertyReport& report);

/// The structure of a net in `inspect`, with the limits that were reached.
std::string structure_text(const Net& net, const states::Structure& structure);

/// The parts of the answer of `worst` that the library does not have.
struct WorstAnswer {
    const studies::PredictedLaunch* launch = nullptr;  ///< the whole launch of the kernel, if it is known
    std::optional<netgen::Device> device = {};         ///< the device of the launch
    std::optional<Deadline> deadline = {};
    std::optional<worst::DeadlineVerdict> verdict = {};  ///< on the deadline
    bool schedule = false;                               ///< JSON: include the schedule
};
/// Whether the answer meets its deadline. REQUIRES: it has one.
worst::DeadlineVerdict deadline_verdict(const worst::WorstCase& worst, const WorstAnswer& answer);
std::string worst_text(const Net& net, const worst::WorstCase& worst, const WorstAnswer& answer);
nlohmann::ordered_json worst_json(const Net& net, const worst::WorstCase& worst, const WorstAnswer& answer);
ExitCode worst_exit_code(const worst::WorstCase& worst);

/// Includes the sources of block times and their assumptions, each once.
std::string respond_text(const LoadedTasks& loaded, const studies::RespondReport& report);
nlohmann::ordered_json respond_json(const LoadedTasks& loaded, const studies::RespondReport& report,
                                    bool jobs);

/// Throws UsageError if the ending of such a file is that of no graph format.
void check_cfg_output(const std::string& flag, const std::string& file);
/// The annotated graph, in the format of the file name.
std::string annotated_cfg(const std::string& file, const netgen::StructuredCfg& cfg,
                          const netgen::CfgAnnotation& annotation);
/// The same as comments in the PTX of the graph.
std::string annotated_source(const netgen::PtxInput& input, const netgen::StructuredCfg& cfg,
                             const netgen::CfgAnnotation& annotation);

/// `unit`: the unit of times, such as "instructions".
std::string split_text(const studies::SplitReport& report, std::string_view unit);
std::string study_text(const studies::SplitStudy& study, const studies::SplitStudyOptions& options);
/// WCET and seconds of every method over the graphs; means if several graphs have the same label. These are
/// Figures 5 and 6 of [Klashtorny24], both with logarithmic axes.
std::string study_svg(const studies::SplitStudy& study, const studies::SplitStudyOptions& options,
                      const pictures::PictureStyle& style);

/// `done` also if the work only reached its own limit of effort.
ExitCode exit_code_of(WorkEnd end);

std::string ptx_text(const netgen::PtxFileReport& file);

/// An upper bound on all runs of a launch, with its proof and its assumptions. REQUIRES: the launch has one.
std::string certificate_text(const studies::PredictedLaunch& launch, const std::string& indent);

/// The output of `predict`: all data of one kernel, or a line for each of several and their total.
std::string predict_text(const netgen::Device& device, const std::vector<studies::PredictedLaunch>& launches);

/// Bars for the time of a launch if each limit alone bound it, and for the predicted time.
std::string predict_svg(const netgen::Device& device, const studies::PredictedLaunch& launch,
                        const pictures::PictureStyle& style);

/// `us`: the predicted time on the unchanged device.
std::string what_if_text(double us, const std::vector<studies::WhatIf>& answers);

/// The launches of a space by predicted time, the launches that were left out, and the fit of the order to
/// measured times.
std::string tune_text(const netgen::Device& device, const studies::TunedSpace& space);
/// Plots predicted times over the numeric axis with the most values, with a line per combination of the
/// remaining axes. If measured times are known or there are too many lines, it plots predicted and measured
/// times over the rank.
std::string tune_svg(const netgen::Device& device, const studies::TunedSpace& space,
                     const pictures::PictureStyle& style);

/// The output of `compare`.
std::string compare_text(const studies::Comparison& comparison, const studies::CompareParts& parts = {});
/// Prints the known columns of tables, with units and meanings.
void print_columns();

// The output of `devices`.

/// The same as a table in CSV.
std::string overview_csv(const std::vector<netgen::Device>& devices);
/// Prints a line for each device.
void print_overview(const std::vector<netgen::Device>& devices);
/// Prints all facts of a device with their sources.
void print_device(const netgen::DeviceTable& table, const netgen::Device& device);
/// Prints the table row of the device to stdout, and its differences from the preset, if there is one, to
/// stderr.
void print_measured_text(const studies::MeasuredDevice& measured, const netgen::Device* preset,
                         const std::vector<studies::FactDifference>& differences);

}  // namespace warpnet::cli
