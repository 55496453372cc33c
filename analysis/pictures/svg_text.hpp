#pragma once

#include <string>
#include <string_view>

namespace warpnet {

/// A text as the content of an SVG or HTML element: the characters that mean something to XML as entities.
inline std::string svg_text(std::string_view text) {
    std::string result;
    for (const char c : text) {
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

}  // namespace warpnet
