#pragma once

#include <string>

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

/// The words that call a command, such as "warpnet generate sm".
std::string full_name(const CLI::App& command);

}  // namespace warpnet::cli
