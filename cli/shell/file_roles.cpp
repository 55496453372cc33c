#include "cli/shell/file_roles.hpp"

#include "cli/input/command.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace warpnet::cli {

namespace {

namespace fs = std::filesystem;

/// Options that write a file in every command that has them.
constexpr std::array always_outputs = {"output", "csv",       "gantt",       "graph",    "log",
                                       "plot",   "write-cfg", "write-order", "write-ptx"};
/// Options that write a file in these commands, and read one in others.
constexpr std::array outputs_of_searches = {"schedule", "trace"};
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

bool names_files(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    return type.starts_with("FILE") || type.starts_with("NET") || type.starts_with("TASKS") ||
           type.starts_with("CFG") || type.starts_with("LOG") || type.starts_with("MEASURED");
}

/// The file that a name leads to; empty where it cannot be lost.
std::string file_of(std::string name) {
    std::error_code ignored;
    if (const std::size_t hash = name.rfind('#'); hash != std::string::npos && !fs::exists(name, ignored))
        name.resize(hash);  // a net of the file
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
        if (option->count() == 0 || !names_files(*option) || option->get_single_name() == "resume") continue;
        const bool output = is_output(command, *option);
        for (const std::string& name : option->results()) {
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
