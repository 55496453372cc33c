// Completion scripts for bash, zsh and fish from the declared options. A script has a case per command, so it
// does not call the program while the user types.
//
// The price of a script that knows all names is that it must be made again after an update. Everything comes
// from the declared options: choices from value names in small letters between bars, files from value names
// with FILE, DIR or FOLDER. O(commands x options) text.

#include "cli/shell/help_format.hpp"
#include "netgen/sm/presets.hpp"
#include "netgen/sm/sm.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::cli {

namespace {

/// An option as a completion script describes it.
struct Completed {
    std::vector<std::string> flags;  ///< with their hyphens
    std::string description;
    bool valued = false;
    bool file = false;                 ///< its value is the name of a file
    std::vector<std::string> choices;  ///< its values, if they are listed
};

/// "random|first|last", "run|preset|MHZ": the words in small letters between bars.
std::vector<std::string> choices_of(const std::string& type) {
    std::vector<std::string> choices;
    if (type.find('|') == std::string::npos) return choices;
    for (std::size_t begin = 0; begin <= type.size();) {
        const std::size_t end = std::min(type.find('|', begin), type.size());
        const std::string item = type.substr(begin, end - begin);
        const bool plain =
            !item.empty() &&
            item.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") == std::string::npos;
        if (plain) choices.push_back(item);
        begin = end + 1;
    }
    return choices;
}

/// The names of presets: values of --device and of 'devices'.
std::vector<std::string> device_names() {
    std::vector<std::string> names;
    for (const netgen::Device& device : netgen::preset_devices().devices) names.push_back(device.name);
    return names;
}

/// The parts that --without switches off.
std::vector<std::string> listed_parts(const CLI::Option& option) {
    if (option.get_type_name() != "MECHANISM,...") return {};
    const auto names = netgen::sm_mechanism_names();
    return {names.begin(), names.end()};
}

/// The words that may follow a command, apart from flags and files: commands, families, topics, presets,
/// shells.
std::vector<std::string> words_after(const CLI::App& command) {
    std::vector<std::string> words = command_names(command);
    const std::string name = full_name(command);
    if (name == "warpnet devices") return device_names();
    if (name == "warpnet help") {
        for (const HelpTopic& topic : help_topics()) words.push_back(topic.name);
        for (const std::string& other : command_names(*command.get_parent())) words.push_back(other);
        return words;
    }
    for (const CLI::Option* option : command.get_options())
        if (!option->nonpositional())
            for (const std::string& choice : choices_of(value_name(*option))) words.push_back(choice);
    return words;
}

std::vector<Completed> options_of(const CLI::App& command) {
    std::vector<Completed> options;
    for (const CLI::Option* option : command.get_options()) {
        if (!option->nonpositional() || option->get_group().empty()) continue;
        Completed one;
        for (const std::string& name : option->get_snames()) one.flags.push_back("-" + name);
        // Further long names are older ones, which work and are not completed.
        if (!option->get_lnames().empty()) one.flags.push_back("--" + option->get_lnames().front());
        one.description = option->get_description();
        const std::string type = value_name(*option);
        one.valued = !type.empty();
        one.file = type.find("FILE") != std::string::npos || type.find("DIR") != std::string::npos ||
                   type.find("FOLDER") != std::string::npos;
        if (one.valued) one.choices = choices_of(type);
        // The value of --device is usually a preset. A name from a user's own table is typed in full.
        if (option->get_single_name() == "device") one.choices = device_names();
        if (const auto parts = listed_parts(*option); !parts.empty()) one.choices = parts;
        options.push_back(std::move(one));
    }
    return options;
}

/// Collects the program, its commands, their families, and so on.
void collect(const CLI::App& command, std::vector<const CLI::App*>& all) {
    all.push_back(&command);
    for (const CLI::App* sub : commands_of(command)) collect(*sub, all);
}

/// The text in single quotes, on one line.
std::string quoted(std::string_view text, std::string_view escaped_quote) {
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'') {
            result += escaped_quote;
        } else {
            result += c == '\n' ? ' ' : c;
        }
    }
    return result + "'";
}

std::string shell_quoted(std::string_view text) { return quoted(text, "'\\''"); }

/// The cases of `case "$command $word" in` that recognise the name of a command.
std::string steps_into_commands(const std::vector<const CLI::App*>& all) {
    std::vector<std::string> names;
    for (const CLI::App* command : all) {
        if (command->get_parent() != nullptr) names.push_back("\"" + full_name(*command) + "\"");
    }
    return fmt::format("            {}) command=\"$command $word\" ;;\n", fmt::join(names, "|"));
}

/// "a"|"b" for the flags of an option, each preceded by the name of its command.
std::string behind(const CLI::App& command, const Completed& option) {
    std::vector<std::string> patterns;
    for (const std::string& flag : option.flags)
        patterns.push_back("\"" + full_name(command) + " " + flag + "\"");
    return fmt::format("{}", fmt::join(patterns, "|"));
}

/// The cases that complete the value of an option: `choices` with its choices, a file, or any other value.
std::string value_cases(const std::vector<const CLI::App*>& all, std::string_view choices,
                        std::string_view file, std::string_view other) {
    std::string cases;
    for (const CLI::App* command : all) {
        for (const Completed& option : options_of(*command)) {
            if (!option.valued) continue;
            const std::string chosen = fmt::format("{}", fmt::join(option.choices, " "));
            cases += fmt::format("        {}) {}; return ;;\n", behind(*command, option),
                                 !chosen.empty() ? fmt::format(fmt::runtime(choices), chosen)
                                 : option.file   ? std::string(file)
                                                 : std::string(other));
        }
    }
    return cases;
}

std::string bash_completions(const std::vector<const CLI::App*>& all) {
    const std::string values =
        value_cases(all, "COMPREPLY=($(compgen -W \"{}\" -- \"$cur\"))",
                    "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\"))", ":");
    std::string words;
    for (const CLI::App* command : all) {
        std::vector<std::string> flags;
        for (const Completed& option : options_of(*command))
            flags.insert(flags.end(), option.flags.begin(), option.flags.end());
        words += fmt::format("        \"{}\") flags=\"{}\"; commands=\"{}\" ;;\n", full_name(*command),
                             fmt::join(flags, " "), fmt::join(words_after(*command), " "));
    }
    return fmt::format(
        R"(# Completions of warpnet for bash, made by 'warpnet completions bash'.
_warpnet() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} command=warpnet word flags commands
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case "$command $word" in
{}        esac
    done
    case "$command $previous" in
{}    esac
    case "$command" in
{}    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$flags" -- "$cur"))
    elif [[ -n $commands ]]; then
        COMPREPLY=($(compgen -W "$commands" -- "$cur"))
    else
        compopt -o filenames
        COMPREPLY=($(compgen -f -- "$cur"))
    fi
}}
complete -F _warpnet warpnet
)",
        steps_into_commands(all), values, words);
}

std::string zsh_completions(const std::vector<const CLI::App*>& all) {
    const auto described = [](std::string_view name, std::string_view description) {
        return shell_quoted(fmt::format("{}:{}", name, description));
    };
    const std::string values = value_cases(all, "compadd -- {}", "_files", "_message value");
    std::string words;
    for (const CLI::App* command : all) {
        std::string flags, commands;
        for (const Completed& option : options_of(*command))
            for (const std::string& flag : option.flags) flags += " " + described(flag, option.description);
        for (const CLI::App* sub : commands_of(*command))
            commands += " " + described(sub->get_name(), sub->get_description());
        if (commands.empty())
            for (const std::string& word : words_after(*command)) commands += " " + shell_quoted(word);
        words += fmt::format("        \"{}\") flags=({} ); commands=({} ) ;;\n", full_name(*command), flags,
                             commands);
    }
    return fmt::format(
        R"(#compdef warpnet
# Completions of warpnet for zsh, made by 'warpnet completions zsh'.
_warpnet() {{
    local command=warpnet word
    local -a flags commands
    for word in ${{words[2,CURRENT-1]}}; do
        case "$command $word" in
{}        esac
    done
    case "$command ${{words[CURRENT-1]}}" in
{}    esac
    case "$command" in
{}    esac
    if [[ ${{words[CURRENT]}} == -* ]]; then
        _describe option flags
    elif (( ${{#commands}} )); then
        _describe command commands
    else
        _files
    fi
}}
if [[ ${{funcstack[1]}} == _warpnet ]]; then _warpnet "$@"; else compdef _warpnet warpnet; fi
)",
        steps_into_commands(all), values, words);
}

std::string fish_completions(const std::vector<const CLI::App*>& all) {
    const auto fish_quoted = [](std::string_view text) {
        std::string escaped;
        for (const char c : text) {
            if (c == '\\') escaped += '\\';
            escaped += c;
        }
        return quoted(escaped, "\\'");
    };
    std::string text = "# Completions of warpnet for fish, made by 'warpnet completions fish'.\n";
    for (const CLI::App* command : all) {
        std::vector<std::string> above;  // the words that lead to the command, without the program
        for (const CLI::App* one = command; one->get_parent() != nullptr; one = one->get_parent())
            above.insert(above.begin(), "__fish_seen_subcommand_from " + one->get_name());
        const auto subs = commands_of(*command);
        std::string condition = fmt::format("{}", fmt::join(above, "; and "));
        if (above.empty()) condition = "__fish_use_subcommand";
        std::string no_sub = condition;
        if (!above.empty() && !subs.empty())
            no_sub += fmt::format("; and not __fish_seen_subcommand_from {}",
                                  fmt::join(command_names(*command), " "));
        for (const CLI::App* sub : subs)
            text += fmt::format("complete -c warpnet -f -n '{}' -a {} -d {}\n", no_sub, sub->get_name(),
                                fish_quoted(sub->get_description()));
        if (const auto others = words_after(*command); subs.empty() && !others.empty())
            text +=
                fmt::format("complete -c warpnet -f -n '{}' -a '{}'\n", condition, fmt::join(others, " "));
        for (const Completed& option : options_of(*command)) {
            text += fmt::format("complete -c warpnet -n '{}'", condition);
            for (const std::string& flag : option.flags)
                text += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
            if (!option.choices.empty()) {
                text += fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
            } else if (option.valued) {
                text += option.file ? " -r -F" : " -x";
            }
            text += " -d " + fish_quoted(option.description) + "\n";
        }
    }
    return text;
}

}  // namespace

std::string completions(const CLI::App& program, const std::string& shell) {
    std::vector<const CLI::App*> all;
    collect(program, all);
    if (shell == "bash") return bash_completions(all);
    if (shell == "zsh") return zsh_completions(all);
    return shell == "fish" ? fish_completions(all) : "";
}

}  // namespace warpnet::cli
