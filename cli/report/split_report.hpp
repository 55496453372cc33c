#pragma once

#include "analysis/pictures/picture_style.hpp"
#include "analysis/studies/split/split_report.hpp"
#include "cli/input/ptx_input.hpp"
#include "cli/shell/exit_code.hpp"

#include <string>

namespace warpnet::cli {

/// Refuses the name of such a file that ends as no format of graphs does: wrong usage.
void check_cfg_output(const std::string& flag, const std::string& file);
/// The annotated graph, in the format that the name of the file says.
std::string annotated_cfg(const std::string& file, const StructuredCfg& cfg, const CfgAnnotation& annotation);
/// The same as comments in the PTX that the graph came from.
std::string annotated_source(const PtxInput& input, const StructuredCfg& cfg,
                             const CfgAnnotation& annotation);

std::string split_text(const SplitReport& report);
std::string study_text(const SplitStudy& study, const SplitStudyOptions& options);
/// WCET and seconds of every method over the graphs, means where several have one label: [Klashtorny24]
/// Figures 5 and 6, both with powers of ten.
std::string study_svg(const SplitStudy& study, const SplitStudyOptions& options, const PictureStyle& style);

/// `done` also for work that only met its own limit of effort.
ExitCode exit_code_of(WorkEnd end);

}  // namespace warpnet::cli
