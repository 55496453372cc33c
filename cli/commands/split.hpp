#pragma once

#include "analysis/pictures/picture_style.hpp"
#include "analysis/studies/split/split_report.hpp"
#include "cli/input/cfg_input.hpp"
#include "cli/input/options.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace warpnet::cli {

/// The values of the flags of `split`.
struct SplitFlags {
    CommonOptions common;
    CfgInput input;
    studies::SplitQuestions questions;
    bool paper_rule = false;
    bool study = false;
    std::optional<int> graphs;  ///< per shape in the study; absent: 1
    std::optional<std::chrono::milliseconds> time_limit;
    std::string picture, cfg_output, ptx_output, plot_file;
    pictures::PictureStyle style;
};

void add_split_flags(Command& command, SplitFlags& flags);

}  // namespace warpnet::cli
