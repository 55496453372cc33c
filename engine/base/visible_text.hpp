#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpnet {

/// One character of UTF-8. `length` is 0 if no valid character begins.
struct Utf8Char {
    char32_t code = 0;
    std::size_t length = 0;
};

/// Decodes the character at the begin of `text`, strictly: no overlong forms, no surrogates.
Utf8Char first_utf8_char(std::string_view text) noexcept;

void append_utf8(std::string& out, char32_t code);

/// A text whose control characters, other than line ends and tabs, can be seen: ESC as \u001b, which is also
/// what JSON may have in its place, and a byte that is not UTF-8 as \xff. Names come from files of others,
/// and what they hold must not move a cursor or break a document. C0, DEL, C1, and the two characters that
/// XML forbids above them. Cost O(text).
std::string visible(std::string_view text);

}  // namespace warpnet
