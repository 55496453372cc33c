#pragma once

#include "cli/input/parse.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

namespace warpnet::cli {

/// What every command that computes takes.
struct CommonOptions {
    bool json = false;
    int threads = 0;  ///< 0: all cores
    std::uint64_t seed = 1;
};

void add_json(CLI::App& command, bool& json);
/// --json, --threads, --seed.
void add_common(CLI::App& command, CommonOptions& options);

/// A whole decimal number in [least, most]; anything else is wrong usage. (CLI11's own conversion reads 010
/// as octal and lets -1 and 10^30 pass as large numbers.)
template <class Integer>
CLI::Option* add_number(CLI::App& command, const std::string& flag, Integer& target, const std::string& help,
                        Integer least = 0, Integer most = std::numeric_limits<Integer>::max());

CLI::Option* add_duration(CLI::App& command, const std::string& flag,
                          std::optional<std::chrono::milliseconds>& target, const std::string& help);

/// One of the values under its own name, e.g. --policy random. `Values` are listed with to_string().
template <class Enum>
CLI::Option* add_choice(CLI::App& command, const std::string& flag, Enum& target, const std::string& help,
                        const std::vector<Enum>& values) {
    std::vector<std::pair<std::string, Enum>> names;
    std::string listed;
    for (const Enum value : values) {
        names.emplace_back(to_string(value), value);
        listed += (listed.empty() ? "" : "|") + names.back().first;
    }
    return command
        .add_option_function<std::string>(
            flag,
            [&target, names, listed, flag](const std::string& text) {
                for (const auto& [name, value] : names) {
                    if (name == text) {
                        target = value;
                        return;
                    }
                }
                throw CLI::ValidationError(flag, "expected " + listed + ", found '" + text + "'");
            },
            help)
        ->type_name(listed)
        ->default_str(std::string(to_string(target)));
}

void check_range(const std::string& flag, const std::string& text, std::optional<std::int64_t> value,
                 std::int64_t least, std::int64_t most);

template <class Integer>
CLI::Option* add_number(CLI::App& command, const std::string& flag, Integer& target, const std::string& help,
                        Integer least, Integer most) {
    constexpr auto widest = std::numeric_limits<std::int64_t>::max();
    const auto low = static_cast<std::int64_t>(least);
    const auto high = std::cmp_greater(most, widest) ? widest : static_cast<std::int64_t>(most);
    return command
        .add_option_function<std::string>(
            flag,
            [&target, flag, low, high](const std::string& text) {
                const auto value = parse_whole(text);
                check_range(flag, text, value, low, high);
                target = static_cast<Integer>(*value);
            },
            help)
        ->type_name("N")
        ->default_str(std::to_string(target));
}

}  // namespace warpnet::cli
