
#include "cli/commands/commands.hpp"
#include "cli/shell/help_format.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::cli {

namespace {

std::string unknown_topic(const CLI::App& parsed, std::vector<std::string> topics,
                          const std::vector<std::string>& words) {
    const std::string found = fmt::format("{}", fmt::join(words, " "));
    const std::string listed = fmt::format("{}", fmt::join(topics, ", "));
    for (const std::string& command : command_names(parsed)) topics.push_back(command);
    const std::string nearest = most_similar(found, topics);
    return fmt::format("expected a topic ({}) or a command, found '{}'{}", listed, found,
                       nearest.empty() ? "" : "; did you mean '" + nearest + "'?");
}

}  // namespace

void add_help(Command& program, const CLI::App& parsed) {
    const auto words = std::make_shared<std::vector<std::string>>();
    Command command = program.add_subcommand("help", "Explain a topic or a command");
    std::vector<std::string> topics;
    for (const HelpTopic& topic : help_topics()) topics.push_back(topic.name);
    command.add_option("topic", *words, fmt::format("{}, or a command", fmt::join(topics, ", ")))
        .type_name("TOPIC");
    command.footer(
        "Examples:\n"
        "  warpnet help semantics\n"
        "  warpnet help generate warps");
    command.callback([words, topics, &parsed] {
        const auto text = help_about(parsed, *words);
        if (!text) throw UsageError(unknown_topic(parsed, topics, *words));
        fmt::print("{}{}", *text, text->ends_with('\n') ? "" : "\n");
    });
}

void add_completions(Command& program, const CLI::App& parsed) {
    const auto shell = std::make_shared<std::string>();
    Command command = program.add_subcommand("completions", "Print what completes command lines in a shell");
    command.add_option("shell", *shell, "The shell").required().type_name("bash|zsh|fish");
    command.footer(
        "'cmake --install' and the Debian package put them where the shells look for them.\n"
        "\n"
        "Examples:\n"
        "  source <(warpnet completions bash)\n"
        "  warpnet completions fish > ~/.config/fish/completions/warpnet.fish");
    command.callback([shell, &parsed] {
        const std::string script = completions(parsed, *shell);
        if (script.empty()) throw UsageError("SHELL", "expected bash, zsh or fish, found '" + *shell + "'");
        fmt::print("{}", script);
    });
}

}  // namespace warpnet::cli
