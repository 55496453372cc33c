#include "pnml/xml/xml_writer.hpp"

#include "pnml/xml/legible.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace warpnet::xml {

namespace {

bool is_plain(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x7F && c != '&' && c != '<' && c != '>' && c != '"';
}

}  // namespace

TextBuffer& TextBuffer::operator<<(Tokens number) {
    std::array<char, 24> digits{};
    const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    text_.append(digits.data(), result.ptr);
    return *this;
}

TextBuffer& TextBuffer::operator<<(double number) {
    std::array<char, 1100> digits{};  // 5e-324 has 1,076 characters
    const auto result =
        std::to_chars(digits.data(), digits.data() + digits.size(), number, std::chars_format::fixed);
    text_.append(digits.data(), result.ptr);
    return *this;
}

void TextBuffer::content(std::string_view text) {
    if (std::all_of(text.begin(), text.end(), is_plain)) {
        text_ += text;
        return;
    }
    for (const char c : xml::legible(text)) {
        switch (c) {
            case '&':
                text_ += "&amp;";
                break;
            case '<':
                text_ += "&lt;";
                break;
            case '>':
                text_ += "&gt;";
                break;
            case '"':
                text_ += "&quot;";
                break;
            case '\r':
                text_ += "&#13;";
                break;
            default:
                text_ += c;
        }
    }
}

}  // namespace warpnet::xml
