#pragma once

#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::pictures {

/// The width of one line of text in DejaVu Sans of this size, in the unit of the size. Characters outside of
/// ASCII count as wide as an average capital letter.
inline double text_width(std::string_view text, double font_size) {
    // Hundredths of the font size, from the space on.
    constexpr std::array<unsigned char, 95> widths = {
        32, 40, 46, 84, 64, 95, 78, 27, 39,  39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
        64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79,
        60, 79, 69, 63, 61, 73, 68, 99, 69,  61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63,
        63, 28, 28, 58, 28, 97, 63, 61, 63,  63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84};
    std::size_t hundredths = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool continues = byte >= 0x80 && byte < 0xC0;  // a character of several bytes
        if (!continues) hundredths += byte >= ' ' && byte < 0x7F ? widths[byte - ' '] : 75U;
    }
    return static_cast<double>(hundredths) / 100 * font_size;
}

/// The text, or its beginning and an ellipsis, no wider than this. Cuts between characters.
inline std::string shortened_text(std::string_view text, double width, double font_size) {
    if (text_width(text, font_size) <= width) return std::string(text);
    const double most = width - 0.75 * font_size;  // without the ellipsis
    std::size_t length = text.size() - 1;
    const auto splits_character = [&] { return (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U; };
    while (length > 0 && (splits_character() || text_width(text.substr(0, length), font_size) > most))
        --length;
    return std::string(text.substr(0, length)) + "…";
}

/// The lines of a text that are no wider than this, broken at spaces; a longer word is a line of its own.
inline std::vector<std::string> wrapped_text(std::string_view text, double width, double font_size) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        if (lines.empty() ||
            text_width(lines.back(), font_size) + text_width(word, font_size) + text_width(" ", font_size) >
                width) {
            lines.emplace_back(word);
        } else {
            (lines.back() += ' ') += word;
        }
    }
    return lines;
}

/// A unit as people write it: "us", which identifiers have, is "µs".
inline std::string_view shown_unit(std::string_view unit) { return unit == "us" ? "µs" : unit; }

/// A text as the content of an SVG or HTML element. Characters with a meaning in XML are entities, and those
/// that XML forbids are made visible.
inline std::string svg_text(std::string_view text) {
    std::string result;
    for (const char c : visible(text)) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                result += c;
        }
    }
    return result;
}

}  // namespace warpnet::pictures
