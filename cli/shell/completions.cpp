// Completion scripts for bash, zsh and fish from the declared options. A script has a case per command, so it
// does not call the program while the user types.
//
// The price of a script that knows all names is that it must be made again after an update. Everything comes
// from the declared options: choices from value names in small letters between bars, files from value names
// with FILE, DIR or FOLDER. O(commands x options) text.

#include "cli/shell/help_format.hpp"
#include "engine/base/text.hpp"
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

/// A command with what may follow it.
struct CompletedCommand {
    std::string name;                      ///< "warpnet generate sm", as it is typed
    std::vector<const CLI::App*> parts;    ///< subcommands or families
    std::vector<Completed> options;        ///< all that the command takes
    std::vector<Completed> added_options;  ///< those of them that the command above lacks
    std::vector<std::string> words;        ///< apart from flags and files: parts, topics, presets, shells

    std::vector<std::string> part_names() const {
        std::vector<std::string> names;
        for (const CLI::App* part : parts) names.push_back(part->get_name());
        return names;
    }
};

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

/// The families that a command takes as its first argument, with all their flags, as 'sweep' does.
std::vector<const CLI::App*> families_of(const CLI::App& command) {
    if (!command.get_allow_extras() || command.get_parent() == nullptr) return {};
    const std::vector<std::string> words = words_after(command);
    std::vector<const CLI::App*> families = commands_of(*command.get_parent()->get_subcommand("generate"));
    std::erase_if(families, [&](const CLI::App* family) {
        return std::ranges::find(words, family->get_name()) == words.end();
    });
    return families;
}

/// The options of a family that a command takes besides its own: all but those of a net's file.
std::vector<Completed> options_besides(const std::vector<Completed>& own, const CLI::App& family) {
    std::vector<Completed> added = options_of(family);
    std::erase_if(added, [&](const Completed& option) {
        const std::string& flag = option.flags.back();
        return flag == "--output" || flag == "--pnml" ||
               std::ranges::any_of(own, [&](const Completed& one) { return one.flags.back() == flag; });
    });
    return added;
}

/// Collects the program, its commands, their families, and so on.
void collect(const CLI::App& command, std::vector<CompletedCommand>& all) {
    const std::vector<Completed> options = options_of(command);
    const std::vector<const CLI::App*> families = families_of(command), subs = commands_of(command);
    all.push_back(
        {full_name(command), families.empty() ? subs : families, options, options, words_after(command)});
    for (const CLI::App* sub : subs) collect(*sub, all);
    for (const CLI::App* family : families) {
        const std::vector<Completed> added = options_besides(options, *family);
        std::vector<Completed> both = options;
        both.insert(both.end(), added.begin(), added.end());
        all.push_back({full_name(command) + " " + family->get_name(), {}, both, added, {}});
    }
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
std::string steps_into_commands(const std::vector<CompletedCommand>& all) {
    std::vector<std::string> names;
    for (const CompletedCommand& command : all)
        if (&command != &all.front()) names.push_back("\"" + command.name + "\"");
    return fmt::format("            {}) command=\"$command $word\" ;;\n", fmt::join(names, "|"));
}

/// "a"|"b" for the flags of an option, each preceded by the name of its command.
std::string behind(const CompletedCommand& command, const Completed& option) {
    std::vector<std::string> patterns;
    for (const std::string& flag : option.flags) patterns.push_back("\"" + command.name + " " + flag + "\"");
    return fmt::format("{}", fmt::join(patterns, "|"));
}

/// The cases that complete the value of an option: `choices` with its choices, a file, or any other value.
std::string value_cases(const std::vector<CompletedCommand>& all, std::string_view choices,
                        std::string_view file, std::string_view other) {
    std::string cases;
    for (const CompletedCommand& command : all) {
        for (const Completed& option : command.options) {
            if (!option.valued) continue;
            const std::string chosen = fmt::format("{}", fmt::join(option.choices, " "));
            cases += fmt::format("        {}) {}; return ;;\n", behind(command, option),
                                 !chosen.empty() ? fmt::format(fmt::runtime(choices), chosen)
                                 : option.file   ? std::string(file)
                                                 : std::string(other));
        }
    }
    return cases;
}

std::string bash_completions(const std::vector<CompletedCommand>& all) {
    const std::string values =
        value_cases(all, "COMPREPLY=($(compgen -W \"{}\" -- \"$cur\"))",
                    "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\"))", ":");
    std::string words;
    for (const CompletedCommand& command : all) {
        std::vector<std::string> flags;
        for (const Completed& option : command.options)
            flags.insert(flags.end(), option.flags.begin(), option.flags.end());
        words += fmt::format("        \"{}\") flags=\"{}\"; commands=\"{}\" ;;\n", command.name,
                             fmt::join(flags, " "), fmt::join(command.words, " "));
    }
    return fmt::format(
        R"(# Completions of warpnet for bash, made by 'warpnet completions bash'.
_warpnet() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} command=warpnet word flags commands
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case "$command $word" in
{}        esac
    done
    # --flag=value is three words.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $previous == = ]]; then
        previous=${{COMP_WORDS[COMP_CWORD - 2]}}
    fi
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

std::string zsh_completions(const std::vector<CompletedCommand>& all) {
    const auto described = [](std::string_view name, std::string_view description) {
        return shell_quoted(fmt::format("{}:{}", name, description));
    };
    const std::string values = value_cases(all, "compadd -- {}", "_files", "_message value");
    std::string words;
    for (const CompletedCommand& command : all) {
        std::string flags, commands;
        for (const Completed& option : command.options)
            for (const std::string& flag : option.flags) flags += " " + described(flag, option.description);
        for (const CLI::App* part : command.parts)
            commands += " " + described(part->get_name(), part->get_description());
        if (commands.empty())
            for (const std::string& word : command.words) commands += " " + shell_quoted(word);
        words +=
            fmt::format("        \"{}\") flags=({} ); commands=({} ) ;;\n", command.name, flags, commands);
    }
    return fmt::format(
        R"(#compdef warpnet
# Completions of warpnet for zsh, made by 'warpnet completions zsh'.
_warpnet() {{
    local command=warpnet word previous=${{words[CURRENT-1]}}
    local -a flags commands
    for word in ${{words[2,CURRENT-1]}}; do
        case "$command $word" in
{}        esac
    done
    if [[ ${{words[CURRENT]}} == --*=* ]]; then
        previous=${{words[CURRENT]%%=*}}
        compset -P 1 '*='
    fi
    case "$command $previous" in
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

std::string fish_completions(const std::vector<CompletedCommand>& all) {
    const auto fish_quoted = [](std::string_view text) {
        std::string escaped;
        for (const char c : text) {
            if (c == '\\') escaped += '\\';
            escaped += c;
        }
        return quoted(escaped, "\\'");
    };
    std::string text = "# Completions of warpnet for fish, made by 'warpnet completions fish'.\n";
    for (const CompletedCommand& command : all) {
        std::vector<std::string> above;  // the words that lead to the command, without the program
        for (const std::string_view word : split(command.name, ' '))
            above.push_back("__fish_seen_subcommand_from " + std::string(word));
        above.erase(above.begin());
        std::string condition = fmt::format("{}", fmt::join(above, "; and "));
        if (above.empty()) condition = "__fish_use_subcommand";
        std::string no_sub = condition;
        if (!above.empty() && !command.parts.empty())
            no_sub +=
                fmt::format("; and not __fish_seen_subcommand_from {}", fmt::join(command.part_names(), " "));
        for (const CLI::App* part : command.parts)
            text += fmt::format("complete -c warpnet -f -n '{}' -a {} -d {}\n", no_sub, part->get_name(),
                                fish_quoted(part->get_description()));
        if (command.parts.empty() && !command.words.empty())
            text += fmt::format("complete -c warpnet -f -n '{}' -a '{}'\n", condition,
                                fmt::join(command.words, " "));
        for (const Completed& option : command.added_options) {
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
    std::vector<CompletedCommand> all;
    collect(program, all);
    if (shell == "bash") return bash_completions(all);
    if (shell == "zsh") return zsh_completions(all);
    return shell == "fish" ? fish_completions(all) : "";
}

}  // namespace warpnet::cli
