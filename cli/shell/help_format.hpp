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
/// Commands that are added to a program with this formatter have it too.
std::shared_ptr<CLI::FormatterBase> help_formatter();

/// The words that call a command, such as "warpnet generate sm".
std::string full_name(const CLI::App& command);
/// Its commands or families that have a name.
std::vector<const CLI::App*> commands_of(const CLI::App& command);

std::vector<std::string> command_names(const CLI::App& command);

/// The name of the value of an option, without what CLI11 adds: "FILE.csv", "random|first"; of a flag none.
std::string value_name(const CLI::Option& option);

/// What `warpnet` alone prints.
std::string short_help();

}  // namespace warpnet::cli
