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
/// Nothing where there is neither.
std::optional<std::string> help_about(const CLI::App& program, const std::vector<std::string>& words);

}  // namespace warpnet::cli
