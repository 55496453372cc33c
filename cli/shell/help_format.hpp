#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace CLI {
class App;
class FormatterBase;
class Option;
}  // namespace CLI

namespace warpnet::cli {

struct HelpTopic {
    std::string name;
    std::string summary;
    std::string text;
};

/// The topics of several commands.
const std::vector<HelpTopic>& help_topics();

/// The text of a topic, or the --help of a command ("run", "generate warps"); without words the list of both.
/// Nothing if there is neither.
std::optional<std::string> help_about(const CLI::App& program, const std::vector<std::string>& words);

/// The script with which a shell ("bash", "zsh", "fish") completes the commands of a program, their options
/// and the values of options with listed values. It is made from the declarations of the options. Empty for
/// other shells.
std::string completions(const CLI::App& program, const std::string& shell);

/// A text with its paragraphs and lists wrapped to the terminal.
std::string wrapped_to_terminal(const std::string& text);

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
