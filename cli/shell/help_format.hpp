#pragma once

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class FormatterBase;
class Option;
}  // namespace CLI

namespace warpnet::cli {

/// --help: usage, three examples, the options in groups, further examples and notes, wrapped to the terminal.
/// Commands that are added to a program with this formatter inherit it.
std::shared_ptr<CLI::FormatterBase> help_formatter();

/// The words that call a command, such as "warpnet generate sm".
std::string full_name(const CLI::App& command);
/// The named subcommands or families of a command.
std::vector<const CLI::App*> commands_of(const CLI::App& command);

std::vector<std::string> command_names(const CLI::App& command);

/// The name of the value of an option, without CLI11's additions: "FILE.csv", "random|first"; empty for a
/// flag.
std::string value_name(const CLI::Option& option);

/// The output of `warpnet` without arguments.
std::string short_help();

}  // namespace warpnet::cli
