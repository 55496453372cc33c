#pragma once

#include "analysis/studies/respond/respond_report.hpp"

#include <string>

namespace warpnet::cli {

std::string respond_text(const TaskSet& tasks, const RespondReport& report);

}  // namespace warpnet::cli
