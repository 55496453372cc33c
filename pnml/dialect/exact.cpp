#include "pnml/dialect/exact.hpp"

#include "pnml/xml/legible.hpp"

namespace warpnet::exact {

namespace {

std::optional<unsigned> hex_digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
    return std::nullopt;
}

}  // namespace

std::string encode(std::string_view bytes) {
    std::string text;
    const auto escape = [&text](char byte) {
        const char* const digits = "0123456789ABCDEF";
        const auto value = static_cast<unsigned char>(byte);
        text += {'%', digits[value / 16], digits[value % 16]};
    };
    xml::for_each_character(
        bytes,
        [&](std::string_view kept) {
            const auto first = static_cast<unsigned char>(kept[0]);
            if (kept == "%" || first < 0x20) {
                escape(kept[0]);
            } else {
                text += kept;
            }
        },
        escape);
    return text;
}

std::optional<std::string> decode(std::string_view text) {
    std::string bytes;
    bytes.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            bytes += text[i];
            continue;
        }
        if (i + 2 >= text.size()) return std::nullopt;
        const auto high = hex_digit(text[i + 1]);
        const auto low = hex_digit(text[i + 2]);
        if (!high || !low) return std::nullopt;
        bytes += static_cast<char>(static_cast<unsigned char>(*high * 16 + *low));
        i += 2;
    }
    return bytes;
}

}  // namespace warpnet::exact
