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

/// The message for a wrong command line: the error, a suggestion if there is one, and the command for help.
/// `all` is the program with all its commands, of which `program` may have declared one alone.
std::string usage_message(const CLI::App& program, const CLI::ParseError& error, const CLI::App& all);
/// The same without the command for help.
std::string usage_fault(const CLI::App& program, const CLI::ParseError& error, const CLI::App& all);
/// An error message with the command for help.
std::string usage_message(const CLI::App& program, const std::string& message);

/// Parses `arguments` as a command line of the commands that `add` adds, and runs the command. Throws
/// UsageError.
void run_command_line(const std::function<void(Command&)>& add, std::vector<std::string> arguments);

/// Throws UsageError if a command line names one file for two outputs, or for an input and an output, because
/// one of them would be lost. Files that are read and written on purpose (--resume), the standard streams and
/// devices may be named again. Call it after all options are parsed.
void check_file_roles(const CLI::App& program);

}  // namespace warpnet::cli
