// Finds the swept number in a command line of `generate`. A range A..B, with an optional step or factor, may
// be the value of a flag or an item of a list. There must be exactly one range, with at most 10,000 values.
// The name of the parameter follows from the flag and the item.
//
// The command line is changed as text and parsed again for each value, so that a sweep accepts every flag of
// a family without knowing it. A range that cannot be parsed is no error here, because `..` also occurs in
// names of files. If no range is found, the first argument such as 1-8 or 1:8 is shown in the right form.
// O(characters).

#include "cli/input/swept_range.hpp"

#include "cli/input/command.hpp"
#include "engine/base/text.hpp"
#include "engine/input/flag_items.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

constexpr std::size_t most_values = 10'000;
constexpr const char* no_flag = "argument";

struct Range {
    std::int64_t first = 0, last = 0;
    std::int64_t step = 1;
    bool multiplied = false;
};

/// Nothing if the text is something else, such as the name of a file.
std::optional<Range> parse_range(std::string_view text, std::int64_t step_size = 1) {
    const std::size_t dots = text.find("..");
    if (dots == std::string_view::npos) return {};
    const std::string_view rest = text.substr(dots + 2);
    const std::size_t more = rest.find("..");
    const auto first = parse_number<std::int64_t>(text.substr(0, dots)),
               last = parse_number<std::int64_t>(rest.substr(0, more));
    if (!first || !last || *first < 0 || *last < 0) return {};
    Range range{*first, *last, step_size};
    if (more == std::string_view::npos) return range;
    std::string_view step = rest.substr(more + 2);
    range.multiplied = step.starts_with('x');
    if (range.multiplied) step.remove_prefix(1);
    const auto number = parse_number<std::int64_t>(step);
    if (!number) return {};
    range.step = *number;
    return range;
}

std::vector<std::int64_t> values_of(const Range& range, const std::string& flag, std::string_view text) {
    const auto refuse = [&](std::string_view why) {
        throw UsageError(flag, fmt::format("{} in the range '{}'", why, text));
    };
    if (range.first > range.last) refuse("the last value is less than the first");
    if (range.step < 1) refuse("expected a step of 1 or more");
    if (range.multiplied && (range.step < 2 || range.first < 1))
        refuse("expected a factor of 2 or more, and a first value of 1 or more,");
    std::vector<std::int64_t> values;
    for (std::int64_t value = range.first; value <= range.last;) {
        if (values.size() == most_values) refuse("expected at most 10,000 values");
        values.push_back(value);
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
        if (range.multiplied ? value > most / range.step : value > most - range.step) break;
        value = range.multiplied ? value * range.step : value + range.step;
    }
    return values;
}

/// "warps" of "--warps"; empty if the argument is no flag.
std::string flag_name(const std::string& argument) {
    const std::size_t begin = argument.find_first_not_of('-');
    if (begin == 0 || begin == std::string::npos) return "";
    return argument.substr(begin, argument.find('=') - begin);
}

/// "; '1-8' is written 1..8" for the first argument that is two numbers with another sign between them.
std::string meant_range(const std::vector<std::string>& arguments) {
    for (const std::string& argument : arguments) {
        const std::string value = argument.substr(argument.find_last_of(",=") + 1);
        const std::size_t end = value.find_first_not_of("0123456789");
        if (end == 0 || end == std::string::npos) continue;
        const std::size_t next = value.find_first_of("0123456789", end);
        if (next == std::string::npos || value.find_first_not_of("0123456789", next) != std::string::npos)
            continue;
        const std::string between = value.substr(end, next - end);
        for (const char* sign : {"-", ":", ".", "...", "–", "…"})
            if (between == sign)
                return fmt::format("; '{}' is written {}..{}", value, value.substr(0, end),
                                   value.substr(next));
    }
    return "";
}

/// The first item of an argument with a number on one side of "..", such as "1..a"; empty if there is none.
std::string faulty_range(const std::vector<std::string>& arguments) {
    std::string faulty;
    for (const std::string& argument : arguments)
        each_item(
            argument,
            [&](const std::string& item) {
                const bool number = !item.empty() && (is_digit(item.front()) || is_digit(item.back()));
                const bool path = item.find('/') != std::string::npos;
                if (faulty.empty() && number && !path && item.find("..") != std::string::npos) faulty = item;
            },
            ",=");
    return faulty;
}

[[noreturn]] void refuse_without_range(const std::vector<std::string>& arguments) {
    std::string found = "none" + meant_range(arguments);
    const std::string faulty = faulty_range(arguments);
    if (found == "none" && !faulty.empty())
        found = fmt::format("'{}'; write A..B, A..B..STEP or A..B..xFACTOR with whole numbers", faulty);
    throw UsageError("expected one number of the family as a range, such as --warps 1..16, found " + found);
}

}  // namespace

std::vector<std::string> SweptRange::with(std::int64_t value) const {
    std::vector<std::string> result = arguments;
    result[argument].replace(begin, length, std::to_string(value));
    return result;
}

std::vector<std::int64_t> range_values(std::string_view text, const std::string& flag, std::int64_t step) {
    const auto range = parse_range(text, step);
    return range ? values_of(*range, flag, text) : std::vector<std::int64_t>{};
}

SweptRange find_swept_range(const std::vector<std::string>& arguments) {
    std::optional<SweptRange> found;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        std::string flag = flag_name(argument);
        if (flag.empty() && i > 0) flag = flag_name(arguments[i - 1]);
        if (flag.empty()) flag = no_flag;
        for (std::size_t begin = 0, end = 0; begin <= argument.size(); begin = end + 1) {
            end = std::min(argument.find_first_of(",=", begin), argument.size());
            const std::string item = argument.substr(begin, end - begin);
            const auto range = parse_range(item);
            if (!range) continue;
            std::string name = flag;
            const std::string flagged = flag == no_flag ? flag : "--" + flag;
            // C=1..4 is an item of a list, --warps=1..4 the value of a flag.
            const std::size_t key = begin < 2 ? 0 : argument.find_last_of(",=", begin - 2) + 1;
            const bool of_list = begin > 0 && argument[begin - 1] == '=' && argument[key] != '-';
            if (of_list) name += " " + argument.substr(key, begin - 1 - key);
            if (found) throw UsageError(flagged, "has a second range; only one number can be swept");
            found = SweptRange{
                arguments, i, begin, item.size(), name, values_of(*range, flagged, item), range->multiplied};
        }
    }
    if (!found) refuse_without_range(arguments);
    return *found;
}

}  // namespace warpnet::cli
