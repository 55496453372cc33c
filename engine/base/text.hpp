#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpnet {

// Functions on ASCII text. They do not depend on the locale.

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The text without the blanks at both ends.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n") {
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

inline std::string lower_case(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

/// "1 step", "0 steps", "12 steps".
inline std::string plural(std::uint64_t count, std::string_view noun) {
    return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

/// The JSON name of a value of to_string(): "step_limit" for "step limit".
inline std::string with_underscores(std::string_view words) {
    std::string name(words);
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
}

}  // namespace warpnet
