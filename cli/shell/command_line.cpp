// Errors in a command line, and command lines within commands. For a mistyped flag, the nearest existing flag
// is suggested. Files that one command would both read and overwrite are found by their real paths.
//
// CLI11 reports errors as sentences, without their parts. The names in these sentences are cut out again to
// add meanings, values and suggestions. This depends on the wording of CLI11, so a sentence of another form
// is passed on as it is. File roles are compared by canonical paths, O(files log files). Devices and pipes
// are left out, because writing cannot destroy them.

#include "cli/shell/command_line.hpp"

#include "cli/input/command.hpp"
#include "cli/shell/help_format.hpp"
#include "engine/base/text.hpp"
#include "pnml/write_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::cli {

namespace {

/// The innermost command that was chosen.
const CLI::App& chosen_command(const CLI::App& program) {
    const CLI::App* command = &program;
    while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
    return *command;
}

/// Options that write a file in every command that has them.
constexpr std::array always_outputs = {
    "output",    "csv",         "gantt",     "graph",          "log",        "plot",
    "write-cfg", "write-order", "write-ptx", "write-schedule", "write-chain"};
/// Options that write a file in the commands of `searches`, and read a file in all other commands.
constexpr std::array outputs_of_searches = {"trace"};
constexpr std::array searches = {"run", "worst", "explore"};

template <class Names>
bool contains(const Names& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_output(const CLI::App& command, const CLI::Option& option) {
    const std::string& name = option.get_single_name();
    return contains(always_outputs, name) || (name == "cfg" && command.get_name() == "ptx") ||
           (contains(outputs_of_searches, name) && contains(searches, command.get_name()));
}

/// The name that a user meant by a mistyped one: at most a third of its letters are wrong, or the first three
/// quarters are right, or a part of 5 letters is. Empty if there is none.
std::string meant(std::string_view word, const std::vector<std::string>& names) {
    const std::string nearest = most_similar(word, names);
    const auto end = std::mismatch(word.begin(), word.end(), nearest.begin(), nearest.end()).first;
    const auto same = static_cast<std::size_t>(end - word.begin());
    const bool near = edit_distance(word, nearest) <= std::max<std::size_t>(1, word.size() / 3) ||
                      4 * same >= 3 * word.size() || common_part(word, nearest) > 4;
    return near ? nearest : "";
}

/// The flag of a command, or the command in it, that a mistyped word means, in quotes; empty if there is
/// none.
std::string meant_by(const CLI::App& command, std::string_view word) {
    std::vector<std::string> names;
    if (!word.starts_with('-')) {
        for (const CLI::App* part : commands_of(command)) names.push_back(part->get_name());
        const std::string name = meant(word, names);
        return name.empty() ? "" : "'" + name + "'";
    }
    const std::string_view letters = word.substr(std::min(word.size(), word.find_first_not_of('-')));
    for (const CLI::Option* option : command.get_options()) {
        if (!option->get_lnames().empty()) names.push_back(option->get_lnames().front());
        for (const std::string& name : option->get_snames())
            if (name == letters) return "'-" + name + "'";
    }
    const std::string name = letters.size() < 2 ? "" : meant(letters, names);
    return name.empty() ? "" : "'--" + name + "'";
}

/// The commands below a command that have this flag, and then those below them.
void add_commands_with(const CLI::App& command, const std::string& flag, std::vector<std::string>& names) {
    for (const CLI::App* part : commands_of(command))
        if (part->get_option_no_throw(flag) != nullptr) names.push_back("'" + full_name(*part) + "'");
    for (const CLI::App* part : commands_of(command)) add_commands_with(*part, flag, names);
}

/// "'warpnet run' and 'warpnet worst' have --seed"; empty if no command below this one has the flag.
std::string commands_with(const CLI::App& command, const std::string& flag) {
    std::vector<std::string> names;
    if (flag.starts_with("--")) add_commands_with(command, flag, names);
    if (names.empty()) return "";
    constexpr std::size_t most = 2;
    const std::size_t more = names.size() - std::min(names.size(), most);
    names.resize(names.size() - more);
    if (more > 0) return fmt::format("{} and {} more have {}", fmt::join(names, ", "), more, flag);
    return fmt::format("{} {} {}", fmt::join(names, " and "), names.size() == 1 ? "has" : "have", flag);
}

/// The first argument that no option or command takes, if that is the error.
std::string unknown_argument(const CLI::App& command, const CLI::ParseError& error) {
    const bool extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
    const bool no_command = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr &&
                            !command.get_subcommands([](const CLI::App*) { return true; }).empty();
    const std::vector<std::string> unknown = command.remaining();
    return (extra || no_command) && !unknown.empty() ? unknown.front() : "";
}

/// The name of an option in messages: its flag, or the value name of an argument.
std::string called(const CLI::App& command, const std::string& name) {
    const CLI::Option* option = command.get_option_no_throw(name);
    if (option == nullptr || option->nonpositional()) return name;
    std::string value = value_name(*option);
    if (value.find('|') == std::string::npos) return value;  // a list of values is no name
    std::string upper = name;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return upper;
}

/// The parts of a command, such as the families of `generate`.
std::string names_of_parts(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::App* part : commands_of(command)) names.push_back(part->get_name());
    return fmt::format("{}", fmt::join(names, ", "));
}

/// The missing part of a command line with its meaning; CLI11 gives only its name.
std::optional<std::string> missing_part(const CLI::App& command, const CLI::ParseError& error) {
    const std::string said = error.what();
    const auto name_before = [&](std::string_view rest) {
        const std::size_t at = said.find(rest);
        return at == std::string::npos ? std::string() : said.substr(0, at);
    };
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
        const std::string name = name_before(":");
        const CLI::Option* option = command.get_option_no_throw(name);
        if (option == nullptr || said.find("missing") == std::string::npos) return {};
        return fmt::format("{} needs a value: {} {}", name, name, value_name(*option));
    }
    if (dynamic_cast<const CLI::RequiredError*>(&error) == nullptr) return {};
    if (said.starts_with("A subcommand")) return "expected one of " + names_of_parts(command);
    const std::string name = name_before(" is required");
    const CLI::Option* option = command.get_option_no_throw(name);
    if (option == nullptr) return {};
    return option->nonpositional()
               ? fmt::format("{} is missing: {}", name, option->get_description())
               : fmt::format("argument {} is missing: {}", called(command, name), option->get_description());
}

/// The message for an error that CLI11 finds in known options.
std::optional<std::string> faulty_option(const CLI::App& command, const CLI::ParseError& error) {
    const std::string said = error.what();
    const auto parted = [&](std::string_view at) {
        const std::size_t middle = said.find(at);
        return middle == std::string::npos
                   ? std::pair<std::string, std::string>()
                   : std::pair(said.substr(0, middle), said.substr(middle + at.size()));
    };
    if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) {
        const auto [one, other] = parted(" excludes ");
        return fmt::format("{} cannot be used with {}", called(command, one), called(command, other));
    }
    if (dynamic_cast<const CLI::RequiresError*>(&error) != nullptr) {
        const auto [one, other] = parted(" requires ");
        return fmt::format("{} requires {}", called(command, one), called(command, other));
    }
    if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
        const auto [before, value] = parted(" = ");
        const std::size_t flag = before.find("--");
        return fmt::format("{} takes no value, found '{}'", before.substr(std::min(before.size(), flag)),
                           value);
    }
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr) return {};
    if (const auto [name, rest] = parted(" was given a disallowed"); !rest.empty())
        return (name.starts_with("-") ? "" : "--") + name + " takes no value";
    const auto [name, times] = parted(": At Most 1 required but received ");
    if (times.empty()) return {};
    return fmt::format("{}: expected once, found {} times", name, times);
}

/// A hint for an unknown argument. `all`: the program with all its commands.
std::string next_step(const CLI::App& command, const CLI::App& all, const std::string& word) {
    if (word == "-o" || word == "--output") {
        std::vector<std::string> outputs;
        for (const CLI::Option* option : command.get_options())
            if (!option->get_group().empty() && is_output(command, *option))
                outputs.push_back(option->get_name());
        if (!outputs.empty())
            return fmt::format("; '{}' writes files with {}", full_name(command), fmt::join(outputs, ", "));
    }
    const CLI::Option* device = command.get_option_no_throw("--device");
    if (!word.starts_with('-') && device != nullptr && device->count() > 0)
        return fmt::format("; a name with blanks needs quotes: --device '{} {}'", device->results().back(),
                           word);
    for (const CLI::Option* option : command.get_options())
        if (!word.starts_with('-') && option->get_positional() && option->count() > 0)
            return fmt::format("; {} is '{}' already", option->get_name(), option->results().back());
    if (const std::string name = meant_by(command, word); !name.empty())
        return "; did you mean " + name + "?";
    const std::string others = commands_with(all, word);
    return others.empty() ? "" : "; " + others;
}

}  // namespace

std::string usage_fault(const CLI::App& program, const CLI::ParseError& error, const CLI::App& all) {
    const CLI::App& command = chosen_command(program);
    const std::string unknown = unknown_argument(command, error);
    if (unknown.empty()) {
        const std::optional<std::string> missing = missing_part(command, error);
        return missing ? *missing : faulty_option(command, error).value_or(error.what());
    }
    const std::string word = unknown.substr(0, unknown.find('='));
    const bool of_command = !word.starts_with('-') && !commands_of(command).empty();
    if (const std::string parts = commands_with(command, word);
        !parts.empty() && meant_by(command, word).empty())
        return fmt::format("{} is missing before '{}'; {}",
                           command.get_parent() == nullptr ? "a command" : "a family", word, parts);
    const bool of_family = of_command && command.get_parent() != nullptr;
    const std::string next = next_step(command, all, word);
    return (of_family    ? "unknown family '"
            : of_command ? "unknown command '"
                         : "unknown argument '") +
           word + "'" + (of_family && next.empty() ? "; expected one of " + names_of_parts(command) : next);
}

std::string usage_message(const CLI::App& program, const CLI::ParseError& error, const CLI::App& all) {
    return usage_message(program, usage_fault(program, error, all));
}

std::string usage_message(const CLI::App& program, const std::string& message) {
    return message + "\nSee '" + full_name(chosen_command(program)) + " --help'.";
}

void run_command_line(const std::function<void(Command&)>& add, std::vector<std::string> arguments) {
    CLI::App program("", "warpnet generate");
    program.require_subcommand(1);
    Command commands(program);
    add(commands);
    std::reverse(arguments.begin(), arguments.end());  // the order that CLI11 expects
    try {
        program.parse(std::move(arguments));
    } catch (const CLI::ParseError& error) {
        throw UsageError(usage_fault(program, error, program));
    }
}

namespace {

namespace fs = std::filesystem;

bool names_files(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    return type.starts_with("FILE") || type.starts_with("NET") || type.starts_with("TASKS") ||
           type.starts_with("CFG") || type.starts_with("LOG") || type.starts_with("MEASURED");
}

/// The real path of a file; empty if the name is no regular file, because writing cannot destroy it.
std::string file_of(std::string name) {
    std::error_code ignored;
    if (const std::size_t hash = name.rfind('#'); hash != std::string::npos && !fs::exists(name, ignored))
        name.resize(hash);  // FILE#ID: a net in the file
    if (name.empty() || name == "-") return "";
    const fs::file_status status = fs::status(name, ignored);
    if (fs::exists(status) && !fs::is_regular_file(status)) return "";
    return fs::weakly_canonical(fs::absolute(name, ignored), ignored).string();
}

std::string name_of(const CLI::Option& option) {
    return option.nonpositional() ? option.get_name() : "the argument '" + option.get_name() + "'";
}

struct Use {
    std::string option;
    bool output;
};

void check(const CLI::App& command) {
    std::map<std::string, Use> uses;
    for (const CLI::Option* option : command.get_options()) {
        if (option->count() == 0 || !names_files(*option)) continue;
        const bool resumes = option->get_single_name() == "resume", output = is_output(command, *option);
        for (const std::string& name : option->results()) {
            if (resumes && name == "-")
                throw UsageError("--resume", "expected a file, which is read and written again; found '-'");
            if (output || resumes) pnml::require_folder(name);
            if (resumes) continue;
            const std::string file = file_of(name);
            if (file.empty()) continue;
            const auto [use, added] = uses.try_emplace(file, Use{name_of(*option), output});
            if (added || (!output && !use->second.output)) continue;
            throw UsageError(option->get_name(),
                             fmt::format("would {} '{}', which {} {}", output ? "write" : "read", name,
                                         use->second.option, use->second.output ? "writes" : "reads"));
        }
    }
    for (const CLI::App* inner : command.get_subcommands()) check(*inner);
}

}  // namespace

void check_file_roles(const CLI::App& program) { check(program); }

}  // namespace warpnet::cli
