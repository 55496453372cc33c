#pragma once

#include "analysis/studies/runs/run_json.hpp"
#include "cli/shell/exit_code.hpp"

#include <span>
#include <string>

namespace warpnet::cli {

std::string run_text(const RunReport& report);
/// The reports of the same net under several semantics: columns of a table.
std::string semantics_text(std::span<const RunReport> reports);

/// done if every run that was asked for reached a dead marking, met the condition or followed its schedule.
ExitCode exit_code_of(const RunReport& report);

}  // namespace warpnet::cli
