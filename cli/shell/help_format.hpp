#pragma once

#include <memory>
#include <string>

namespace CLI {
class FormatterBase;
class Option;
}  // namespace CLI

namespace warpnet::cli {

/// --help: usage, three examples, the options in groups, further examples and notes, wrapped to the terminal.
/// Commands that are added to a program with this formatter have it too.
std::shared_ptr<CLI::FormatterBase> help_formatter();

/// The name of the value of an option, without what CLI11 adds: "FILE.csv", "random|first"; of a flag none.
std::string value_name(const CLI::Option& option);

/// What `warpnet` alone prints.
std::string short_help();

}  // namespace warpnet::cli
