#include "cli/shell/help.hpp"

#include "cli/commands/commands.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::cli {

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
        if (!text)
            throw UsageError(fmt::format("expected a topic ({}) or a command, found '{}'",
                                         fmt::join(topics, ", "), fmt::join(*words, " ")));
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
