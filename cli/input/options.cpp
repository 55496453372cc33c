// Flags that several commands share: whole numbers, times, choices, files, threads and seeds. Numbers are
// parsed here and not by CLI11, which reads 010 as octal and lets -1 pass as a large number. A wrong choice
// gets the nearest name as a suggestion.
//
// Each kind of value has one function, so that all commands accept the same spellings and give the same
// errors. A time without a unit is in seconds for limits. For deadlines it is a number of steps, since nets
// have no other unit. Times above a century are rejected, because they would overflow a clock.

#include "cli/input/options.hpp"

#include "engine/base/text.hpp"
#include "engine/base/with_threads.hpp"
#include "engine/input/flag_items.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>
#include <utility>

namespace warpnet::cli {

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
    double amount = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
    if (error != std::errc() || !std::isfinite(amount) || amount < 0) return std::nullopt;
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    double milliseconds = 0;
    if (unit == "ms") {
        milliseconds = amount;
    } else if (unit == "s" || unit.empty()) {
        milliseconds = amount * 1e3;
    } else if (unit == "m" || unit == "min") {
        milliseconds = amount * 6e4;
    } else if (unit == "h") {
        milliseconds = amount * 3.6e6;
    } else {
        return std::nullopt;
    }
    constexpr double century = 3.2e12;  // milliseconds; more would overflow a clock
    if (milliseconds > century) return std::nullopt;
    return std::chrono::milliseconds(static_cast<std::int64_t>(milliseconds));
}

std::optional<Deadline> parse_deadline(std::string_view text) {
    if (const auto steps = parse_number<std::uint64_t>(text)) return Deadline{std::string(text), {}, *steps};
    double amount = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    if (error != std::errc() || !std::isfinite(amount) || amount < 0) return {};
    for (const auto& [name, us] : {std::pair("ns", 1e-3), std::pair("us", 1.0), std::pair("µs", 1.0),
                                   std::pair("ms", 1e3), std::pair("s", 1e6)})
        if (unit == name) return Deadline{std::string(text), amount * us, {}};
    return {};
}

Option add_deadline(Command& command, std::optional<Deadline>& target, const std::string& help) {
    return command
        .add_option_function<std::string>(
            "--deadline",
            [&target](const std::string& text) {
                target = parse_deadline(text);
                if (!target)
                    throw UsageError("--deadline",
                                     "expected a time such as 2ms or 500us, or steps, found '" + text + "'");
            },
            help)
        .type_name("TIME");
}

void refuse(const std::vector<Option>& options, const std::string& why) {
    for (const Option& option : options)
        if (option.count() > 0) throw UsageError(option.name(), why);
}

void check_range(const std::string& flag, const std::string& text, std::optional<std::int64_t> value,
                 std::int64_t least, std::int64_t most) {
    if (value && *value >= least && *value <= most) return;
    const std::string range = most == std::numeric_limits<std::int64_t>::max()
                                  ? "from " + std::to_string(least)
                                  : std::to_string(least) + " to " + std::to_string(most);
    throw UsageError(flag, "expected a whole number (" + range + "), found '" + text + "'");
}

Option add_duration(Command& command, const std::string& flag,
                    const std::function<void(std::chrono::milliseconds)>& set, const std::string& help) {
    return command
        .add_option_function<std::string>(
            flag,
            [set, flag](const std::string& text) {
                const auto duration = parse_duration(text);
                if (!duration) {
                    throw UsageError(flag,
                                     "expected a time such as 500ms, 30s, 2m or 1h, found '" + text + "'");
                }
                set(*duration);
            },
            help)
        .type_name("TIME");
}

Option add_duration(Command& command, const std::string& flag,
                    std::optional<std::chrono::milliseconds>& target, const std::string& help) {
    return add_duration(
        command, flag, [&target](std::chrono::milliseconds duration) { target = duration; }, help);
}

Option add_whole_number(Command& command, const std::string& flag, const std::string& help,
                        const std::string& preset, std::int64_t least, std::int64_t most,
                        const std::function<void(std::int64_t)>& set) {
    return command
        .add_option_function<std::string>(
            flag,
            [flag, least, most, set](const std::string& text) {
                const auto value = parse_count(text);
                check_range(flag.substr(flag.find(',') + 1), text, value, least, most);
                set(*value);
            },
            help)
        .type_name("N")
        .default_str(preset);
}

Option add_named_choice(Command& command, const std::string& flag, const std::string& help,
                        const std::string& preset, const std::vector<std::string>& names,
                        const std::function<void(std::size_t)>& set) {
    std::string listed;
    for (const std::string& name : names) listed += (listed.empty() ? "" : "|") + name;
    return command
        .add_option_function<std::string>(
            flag,
            [flag, names, listed, set](const std::string& text) {
                const auto at = std::find(names.begin(), names.end(), text);
                if (at == names.end()) {
                    const std::string nearest = most_similar(text, names);
                    throw UsageError(flag, "expected " + listed + ", found '" + text + "'" +
                                               (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
                }
                set(static_cast<std::size_t>(at - names.begin()));
            },
            help)
        .type_name(listed)
        .default_str(preset);
}

Option add_svg(Command& command, const std::string& flag, std::string& file, const std::string& help) {
    return command
        .add_option_function<std::string>(
            flag,
            [flag, &file](const std::string& given) {
                if (given != "-" && !given.ends_with(".svg"))
                    throw UsageError(flag, "expected a file name that ends in .svg, found '" + given + "'");
                file = given;
            },
            help)
        .type_name("FILE.svg");
}

void add_style(Command& command, pictures::PictureStyle& style, const std::string& flag) {
    const std::string of = flag.empty() ? "" : "With " + flag + ": ";
    Option theme = add_choice(
        command, "--theme", style.theme,
        of + "the colours; print: only black, white and grey, with hatched areas",
        {pictures::PictureTheme::light, pictures::PictureTheme::dark, pictures::PictureTheme::print});
    Option size = command
                      .add_option_function<std::string>(
                          "--font-size",
                          [&style](const std::string& text) {
                              const auto points = parse_number<std::int64_t>(text);
                              check_range("--font-size", text, points, 4, 72);
                              style.font_size = static_cast<double>(*points);
                          },
                          of + "the size of names and numbers in points; charts shrink in proportion")
                      .type_name("N");
    if (flag.empty()) return;
    theme.needs(flag);
    size.needs(flag);
}

void add_json(Command& command, bool& json) {
    command.add_flag("--json", json, "Print one JSON object instead of text");
}

void add_common(Command& command, CommonOptions& options) {
    add_json(command, options.json);
    add_whole_number(command, "-j,--threads", "Threads; 0: all cores. Results do not depend on it",
                     std::to_string(options.threads), 0, 4096, [&options](std::int64_t threads) {
                         options.threads = static_cast<int>(threads);
                         allow_threads(options.threads);
                     });
    add_number(command, "-s,--seed", options.seed, "Same seed, same results");
}

}  // namespace warpnet::cli
