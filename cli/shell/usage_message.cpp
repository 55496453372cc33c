#include "cli/shell/usage_message.hpp"

#include "engine/base/text.hpp"

#include <vector>

#include <CLI/CLI.hpp>

namespace warpnet::cli {

namespace {

/// The innermost command that was chosen.
const CLI::App& chosen_command(const CLI::App& program) {
    const CLI::App* command = &program;
    while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
    return *command;
}

std::vector<std::string> words_of(const CLI::App& command) {
    std::vector<std::string> words;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    }
    for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
        words.push_back(sub->get_name());
    }
    return words;
}

/// The first argument that no option or command takes, if that is the error.
std::string unknown_argument(const CLI::App& command, const CLI::ParseError& error) {
    const bool extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
    const bool no_command = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr &&
                            !command.get_subcommands([](const CLI::App*) { return true; }).empty();
    const std::vector<std::string> unknown = command.remaining();
    return (extra || no_command) && !unknown.empty() ? unknown.front() : "";
}

}  // namespace

std::string full_name(const CLI::App& command) {
    const CLI::App* parent = command.get_parent();
    return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

std::string usage_fault(const CLI::App& program, const CLI::ParseError& error) {
    const CLI::App& command = chosen_command(program);
    const std::string unknown = unknown_argument(command, error);
    if (unknown.empty()) return error.what();
    const std::string word = unknown.substr(0, unknown.find('='));
    const std::string nearest = most_similar(word, words_of(command));
    return "unknown argument '" + word + "'" + (nearest.empty() ? "" : "; did you mean '" + nearest + "'?");
}

std::string usage_message(const CLI::App& program, const CLI::ParseError& error) {
    return usage_message(program, usage_fault(program, error));
}

std::string usage_message(const CLI::App& program, const std::string& message) {
    return message + "\nSee '" + full_name(chosen_command(program)) + " --help'.";
}

}  // namespace warpnet::cli
