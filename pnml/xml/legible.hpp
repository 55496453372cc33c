#pragma once

#include "pnml/xml/xml_source.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace warpnet::xml {

/// The nearest text that XML allows: each byte of any other character becomes U+FFFD.
std::string legible(std::string_view bytes);

/// Whether XML allows the whole text.
bool is_legible(std::string_view bytes);

/// Calls `keep(part)` for the characters that XML allows and `change(byte)` for every other byte.
template <class Keep, class Change>
void for_each_character(std::string_view bytes, Keep keep, Change change) {
    while (!bytes.empty()) {
        const Utf8Char c = first_utf8_char(bytes);
        const std::size_t length = c.length == 0 ? 1 : c.length;
        if (c.length > 0 && is_xml_char(c.code)) {
            keep(bytes.substr(0, length));
        } else {
            for (const char byte : bytes.substr(0, length)) change(byte);
        }
        bytes.remove_prefix(length);
    }
}

}  // namespace warpnet::xml
