#pragma once

#include <array>
#include <string>
#include <string_view>

namespace warpnet {

/// The text with control characters made visible, except for line ends and tabs: ESC becomes \u001b, which is
/// also valid in JSON. Names come from foreign files, and their content must not move a cursor or break a
/// document. Covers C0, DEL, and C1 in UTF-8.
inline std::string visible(std::string_view text) {
    constexpr std::array digits = {'0', '1', '2', '3', '4', '5', '6', '7',
                                   '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};
    std::string result;
    result.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        auto code = static_cast<unsigned char>(text[i]);
        const bool c1 = code == 0xc2 && i + 1 < text.size() && (text[i + 1] & 0xe0) == 0x80;
        if (c1) code = static_cast<unsigned char>(text[++i]);
        if (c1 || code == 0x7f || (code < 0x20 && code != '\n' && code != '\t')) {
            result += "\\u00";
            result += digits[code >> 4U];
            result += digits[code & 15U];
        } else {
            result += text[i];
        }
    }
    return result;
}

}  // namespace warpnet
