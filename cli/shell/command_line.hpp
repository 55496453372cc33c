#pragma once

#include "cli/input/command.hpp"

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace warpnet::cli {

/// What to tell a person whose command line was not understood: what was wrong, what was perhaps meant, and
/// where the help is.
std::string usage_message(const CLI::App& program, const CLI::ParseError& error);
/// What was wrong and what was perhaps meant, alone.
std::string usage_fault(const CLI::App& program, const CLI::ParseError& error);
/// The same with where the help is, once it is known what was wrong.
std::string usage_message(const CLI::App& program, const std::string& message);

/// Understands `arguments` as a command line of the commands that `add` adds, and does what it says. Throws
/// UsageError.
void run_command_line(const std::function<void(Command&)>& add, std::vector<std::string> arguments);

/// Throws UsageError if a command line names one file for two outputs, or for an input and an output:
/// whatever the command does first, something would be lost. Files that are read and written on purpose
/// (--resume), the standard streams and devices may be named again. To be called once all options are parsed.
void check_file_roles(const CLI::App& program);

}  // namespace warpnet::cli
