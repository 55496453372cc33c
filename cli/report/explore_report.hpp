#pragma once

#include "analysis/states/properties/figures.hpp"
#include "cli/shell/exit_code.hpp"
#include "engine/net/net.hpp"

#include <string>

namespace warpnet::cli {

/// `all_bounds`: the bound of each place.
std::string explore_text(const Net& net, const StateFigures& figures, bool all_bounds);

/// limit if the figures or a graph that was asked for are incomplete.
ExitCode exit_code_of(const StateFigures& figures);

}  // namespace warpnet::cli
