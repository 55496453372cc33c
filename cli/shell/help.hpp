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

/// The topics of several commands.
const std::vector<HelpTopic>& help_topics();

/// The text of a topic, or the --help of a command ("run", "generate warps"); without words the list of both.
/// Nothing if there is neither.
std::optional<std::string> help_about(const CLI::App& program, const std::vector<std::string>& words);

/// The script with which a shell ("bash", "zsh", "fish") completes the commands of a program, their options
/// and the values of options with listed values. It is made from the declarations of the options. Empty for
/// other shells.
std::string completions(const CLI::App& program, const std::string& shell);

}  // namespace warpnet::cli
