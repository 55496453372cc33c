#pragma once

#include "engine/base/visible_text.hpp"

#include <string>
#include <string_view>

namespace warpnet {

/// A text as the content of an SVG or HTML element: the characters that mean something to XML as entities,
/// those that it forbids made visible.
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

}  // namespace warpnet
