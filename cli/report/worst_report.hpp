#pragma once

#include "analysis/worst/worst_case.hpp"
#include "cli/shell/exit_code.hpp"

#include <string>

namespace warpnet::cli {

std::string worst_text(const Net& net, const WorstCase& worst);
ExitCode worst_exit_code(const WorstCase& worst);

}  // namespace warpnet::cli
