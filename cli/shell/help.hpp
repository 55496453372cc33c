#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace warpnet::cli {

struct HelpTopic {
    std::string name;
    std::string summary;
    std::string text;  ///< lines of at most 110 characters
};

/// What concerns several commands.
const std::vector<HelpTopic>& help_topics();

/// The text of a topic, or the --help of a command ("run", "generate warps"); of no words the list of both.
/// Nothing if there is neither.
std::optional<std::string> help_about(const CLI::App& program, const std::vector<std::string>& words);

/// The script that lets a shell ("bash", "zsh", "fish") complete the commands of a program, their options and
/// the values of those that have a list of them. It is made from the declarations of the options. Empty for
/// another shell.
std::string completions(const CLI::App& program, const std::string& shell);

}  // namespace warpnet::cli
