#pragma once

#include "analysis/pictures/picture_style.hpp"
#include "cli/input/command.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpnet::cli {

/// "500ms", "30s", "2m", "1h", "1.5s"; a bare number means seconds. Nothing if `text` is something else.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// The options of every command that computes.
struct CommonOptions {
    bool json = false;
    int threads = 0;  ///< 0: all cores
    std::uint64_t seed = 1;
};

void add_json(Command& command, bool& json);
/// --json, --threads, --seed.
void add_common(Command& command, CommonOptions& options);

/// A whole decimal number in [least, most]; anything else is wrong usage. (CLI11's own conversion reads 010
/// as octal and lets -1 and 10^30 pass as large numbers.)
template <class Integer>
Option add_number(Command& command, const std::string& flag, Integer& target, const std::string& help,
                  Integer least = 0, Integer most = std::numeric_limits<Integer>::max());

/// The same without a default.
template <class Integer>
Option add_number(Command& command, const std::string& flag, std::optional<Integer>& target,
                  const std::string& help, Integer least = 0,
                  Integer most = std::numeric_limits<Integer>::max());

/// The value of --deadline: a time, or steps.
struct Deadline {
    std::string text;
    std::optional<double> us;            ///< of "2ms", "500us", "1.5s", "80ns"
    std::optional<std::uint64_t> steps;  ///< of a whole number
};
/// Nothing if `text` is neither.
std::optional<Deadline> parse_deadline(std::string_view text);
Option add_deadline(Command& command, std::optional<Deadline>& target, const std::string& help);

/// A time such as 30s (parse_duration()); `set` is called with it.
Option add_duration(Command& command, const std::string& flag,
                    const std::function<void(std::chrono::milliseconds)>& set, const std::string& help);
Option add_duration(Command& command, const std::string& flag,
                    std::optional<std::chrono::milliseconds>& target, const std::string& help);

/// A picture that is always SVG; rejects file names of other picture formats.
Option add_svg(Command& command, const std::string& flag, std::string& file, const std::string& help);

/// --theme and --font-size of all pictures, or of the pictures of `flag`, which they then require.
void add_style(Command& command, pictures::PictureStyle& style, const std::string& flag = {});

/// One of the values under its own name, e.g. --policy random. `Values` are listed with to_string().
template <class Enum>
Option add_choice(Command& command, const std::string& flag, Enum& target, const std::string& help,
                  const std::vector<Enum>& values);

/// The same without a default.
template <class Enum>
Option add_choice(Command& command, const std::string& flag, std::optional<Enum>& target,
                  const std::string& help, const std::vector<Enum>& values);

/// Throws UsageError for the first of these options that is given.
void refuse(const std::vector<Option>& options, const std::string& why);

void check_range(const std::string& flag, const std::string& text, std::optional<std::int64_t> value,
                 std::int64_t least, std::int64_t most);

/// The common part of the two templates: `set` is called with the number, or with the position of the name.
Option add_whole_number(Command& command, const std::string& flag, const std::string& help,
                        const std::string& preset, std::int64_t least, std::int64_t most,
                        const std::function<void(std::int64_t)>& set);
Option add_named_choice(Command& command, const std::string& flag, const std::string& help,
                        const std::string& preset, const std::vector<std::string>& names,
                        const std::function<void(std::size_t)>& set);

/// `target` is an Enum, or an optional one.
template <class Enum, class Target>
Option add_choice_to(Command& command, const std::string& flag, Target& target, const std::string& preset,
                     const std::string& help, const std::vector<Enum>& values) {
    std::vector<std::string> names;
    names.reserve(values.size());
    for (const Enum value : values) names.emplace_back(to_string(value));
    return add_named_choice(command, flag, help, preset, names,
                            [&target, values](std::size_t chosen) { target = values[chosen]; });
}

template <class Enum>
Option add_choice(Command& command, const std::string& flag, Enum& target, const std::string& help,
                  const std::vector<Enum>& values) {
    return add_choice_to(command, flag, target, std::string(to_string(target)), help, values);
}

template <class Enum>
Option add_choice(Command& command, const std::string& flag, std::optional<Enum>& target,
                  const std::string& help, const std::vector<Enum>& values) {
    return add_choice_to(command, flag, target, "", help, values);
}

/// `target` is an Integer, or an optional one.
template <class Integer, class Target>
Option add_number_to(Command& command, const std::string& flag, Target& target, const std::string& preset,
                     const std::string& help, Integer least, Integer most) {
    constexpr auto widest = std::numeric_limits<std::int64_t>::max();
    const auto high = std::cmp_greater(most, widest) ? widest : static_cast<std::int64_t>(most);
    return add_whole_number(command, flag, help, preset, static_cast<std::int64_t>(least), high,
                            [&target](std::int64_t value) { target = static_cast<Integer>(value); });
}

template <class Integer>
Option add_number(Command& command, const std::string& flag, Integer& target, const std::string& help,
                  Integer least, Integer most) {
    return add_number_to(command, flag, target, std::to_string(target), help, least, most);
}

template <class Integer>
Option add_number(Command& command, const std::string& flag, std::optional<Integer>& target,
                  const std::string& help, Integer least, Integer most) {
    return add_number_to(command, flag, target, "", help, least, most);
}

}  // namespace warpnet::cli
