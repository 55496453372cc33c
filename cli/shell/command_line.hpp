#pragma once

#include "cli/input/command.hpp"

#include <functional>
#include <string>
#include <vector>

namespace warpnet::cli {

/// Understands `arguments` as a command line of the commands that `add` adds, and does what it says. Throws
/// UsageError.
void run_command_line(const std::function<void(Command&)>& add, std::vector<std::string> arguments);

}  // namespace warpnet::cli
