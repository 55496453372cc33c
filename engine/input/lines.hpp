#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <string_view>

namespace warpnet {

/// Calls use(number, line) for each line of a text: its number from 1 on, and the line without its newline.
/// If use() returns a bool, false ends the loop. A newline at the end of the text begins no line. O(text).
template <class Use>
void each_line(std::string_view text, Use use) {
    std::size_t number = 0;
    while (!text.empty()) {
        const std::size_t length = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, length);
        text.remove_prefix(std::min(length + 1, text.size()));
        if constexpr (std::same_as<decltype(use(number, line)), bool>) {
            if (!use(++number, line)) return;
        } else {
            use(++number, line);
        }
    }
}

}  // namespace warpnet
