#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace warpnet {

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

}  // namespace warpnet
