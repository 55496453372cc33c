#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace warpnet {

// Functions on text: ASCII, numbers, words that are nearly right, UTF-8. They do not depend on the locale.

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

/// The parts of a text between two separators. An empty text has one part, which is empty. O(text).
std::vector<std::string_view> split(std::string_view text, char separator);

/// "1 step", "0 steps", "12 steps".
inline std::string plural(std::uint64_t count, std::string_view noun) {
    return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

/// A decimal number as texts show it, with commas in its whole part: -7,127.5.
std::string grouped_digits(std::string_view digits);
/// A sentence with its whole numbers grouped; words that contain letters stay. O(sentence).
std::string with_grouped_numbers(std::string_view sentence);

/// The JSON name of a value of to_string(): "step_limit" for "step limit".
inline std::string with_underscores(std::string_view words) {
    std::string name(words);
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
}

/// The number in all of `text`, in the C locale and without blanks or a plus sign. Empty if the text is
/// something else or the number is out of range. O(text).
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
    Number value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || rest != end) return std::nullopt;
    return value;
}

/// The number of insertions, deletions and replacements of a character, and exchanges of two neighbours, that
/// turn one word into the other. O(|a|·|b|).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The longest part of a name between '_' and '-' that is a part of the other name as well.
std::size_t common_part(std::string_view a, std::string_view b);

/// The shortest of `words` that begins with `word` (at least 2 letters, dashes ignored), otherwise the
/// closest one. If all of them are too different for a typing error, the one with the longest part in common,
/// of at least 5 letters: blocks_per_sm for max_blocks. Otherwise empty.
template <class Words>
std::string most_similar(std::string_view word, const Words& words) {
    std::string nearest;
    const std::size_t letters = word.size() - std::min(word.size(), word.find_first_not_of('-'));
    for (const std::string_view candidate : words)
        if (letters > 1 && candidate.starts_with(word) &&
            (nearest.empty() || candidate.size() < nearest.size()))
            nearest = candidate;
    if (!nearest.empty()) return nearest;
    std::size_t least = word.size() / 3 + 2;
    for (const std::string_view candidate : words) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance >= least) continue;
        least = distance;
        nearest = candidate;
    }
    if (!nearest.empty()) return nearest;
    std::size_t most = 4;
    for (const std::string_view candidate : words) {
        const std::size_t common = common_part(word, candidate);
        if (common <= most) continue;
        most = common;
        nearest = candidate;
    }
    return nearest;
}

/// "; did you mean w1_active?" for the most similar word; nothing if there is none.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& words);

/// One character of UTF-8. `length` is 0 if no valid character begins.
struct Utf8Char {
    char32_t code = 0;
    std::size_t length = 0;
};

/// Decodes the character at the begin of `text`, strictly: no overlong forms, no surrogates.
Utf8Char first_utf8_char(std::string_view text) noexcept;

void append_utf8(std::string& out, char32_t code);

/// A text whose control characters, other than line ends and tabs, are visible: ESC as \u001b, which JSON
/// also allows, and a byte that is not UTF-8 as \xff. Names come from foreign files, and their content must
/// not move a cursor or break a document. C0, DEL, C1, and the two characters that XML forbids above them.
/// Cost O(text).
std::string visible(std::string_view text);

}  // namespace warpnet
