#pragma once

#include "analysis/pictures/picture_style.hpp"
#include "analysis/studies/runs/sweep.hpp"
#include "cli/shell/exit_code.hpp"

#include <string>

namespace warpnet::cli {

std::string sweep_text(const SweepReport& report);
/// A header and a row for each value; shares from 0 to 1, nothing where a value is not known.
std::string sweep_csv(const SweepReport& report);
/// Steps over the parameter; with statistics a second picture: hubs in use, and steps without use. Below the
/// title the machine and the arguments of `generate`, with the range.
std::string sweep_svg(const SweepReport& report, const std::string& arguments, const PictureStyle& style);
ExitCode exit_code_of(const SweepReport& report);

}  // namespace warpnet::cli
