// Bytes of a document as checked UTF-8. A vectorised census of each block decides whether anything needs a
// closer look; most documents are plain ASCII and are not copied. UTF-16 and declared ISO 8859-1 are
// converted. All other encodings are rejected, and the error names them.
//
// Errors show line and column of the text after its conversion. Positions are computed only for an error, in
// O(text). A document without special characters takes one pass. The bytes 0x80 to 0x9F of ISO 8859-1 are
// rejected, because they are control characters there and letters in windows-1252.

#include "pnml/xml/xml_source.hpp"

#include "engine/base/text.hpp"
#include "pnml/xml/pnml_error.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace warpnet::pnml::xml {

namespace {

/// The special characters in a block of bytes.
struct Census {
    bool high = false;       // bytes above 0x7F
    bool forbidden = false;  // control characters that XML forbids
};

// Without branches and with one byte of state each, so that the compiler can vectorise it.
Census take_census(std::string_view bytes) {
    unsigned high = 0;
    unsigned forbidden = 0;
    for (const char byte : bytes) {
        const auto c = static_cast<unsigned char>(byte);
        high |= c;
        forbidden |= static_cast<unsigned>(c < 0x20) & static_cast<unsigned>(c != '\t') &
                     static_cast<unsigned>(c != '\n') & static_cast<unsigned>(c != '\r');
    }
    return {(high & 0x80U) != 0, forbidden != 0};
}

/// The encoding in the XML declaration, in lower case. Empty if there is none.
std::string declared_encoding(std::string_view bytes) {
    if (!bytes.starts_with("<?xml")) return "";
    const std::string_view declaration = bytes.substr(0, std::min(bytes.find("?>"), std::size_t{400}));
    const std::size_t name = declaration.find("encoding");
    if (name == std::string_view::npos) return "";
    const std::size_t open = declaration.find_first_of("\"'", name);
    if (open == std::string_view::npos) return "";
    const std::size_t close = declaration.find(declaration[open], open + 1);
    if (close == std::string_view::npos) return "";
    return lower_case(declaration.substr(open + 1, close - open - 1));
}

/// Whether a DTD precedes the first element.
bool has_doctype(std::string_view text) {
    std::size_t at = text.find('<');
    while (at != std::string_view::npos) {
        const std::string_view rest = text.substr(at);
        if (rest.starts_with("<!DOCTYPE")) return true;
        if (!rest.starts_with("<!--") && !rest.starts_with("<?")) return false;
        at = text.find(rest[1] == '!' ? "-->" : "?>", at + 2);
        if (at != std::string_view::npos) at = text.find('<', at);
    }
    return false;
}

std::string hex(unsigned value) {
    const char* const digits = "0123456789ABCDEF";
    std::string result;
    do {
        result.insert(result.begin(), digits[value % 16]);
        value /= 16;
    } while (value != 0 || result.size() < 2);
    return "0x" + result;
}

}  // namespace

Source::Source(std::string_view bytes, std::string name) : name_(std::move(name)) {
    decode(bytes);
    if (text_.find('&') != std::string_view::npos || has_doctype(text_)) {
        resolve_entities();
    }
}

void Source::decode(std::string_view bytes) {
    using namespace std::string_view_literals;
    text_ = bytes;
    if (bytes.starts_with("\xEF\xBB\xBF"sv)) text_.remove_prefix(3);
    if (bytes.starts_with("\xFF\xFE\0\0"sv) || bytes.starts_with("\0\0\xFE\xFF"sv) ||
        bytes.starts_with("<\0\0\0"sv) || bytes.starts_with("\0\0\0<"sv)) {
        text_ = {};
        fail(0, "", "text in UTF-8, UTF-16 or ISO 8859-1", "UTF-32");
    }
    if (bytes.starts_with("\xFF\xFE"sv)) return decode_utf16(bytes.substr(2), false);
    if (bytes.starts_with("\xFE\xFF"sv)) return decode_utf16(bytes.substr(2), true);
    if (bytes.starts_with("<\0"sv)) return decode_utf16(bytes, false);
    if (bytes.starts_with("\0<"sv)) return decode_utf16(bytes, true);

    const Census census = take_census(text_);
    if (census.high) {
        // ASCII has the same meaning in all supported encodings, so a wrong label matters only here.
        const std::string encoding = declared_encoding(text_);
        if (encoding.empty() || encoding == "utf-8" || encoding == "utf8") {
            check_utf8();
        } else if (encoding == "iso-8859-1" || encoding == "iso8859-1" || encoding == "iso_8859-1" ||
                   encoding == "latin1" || encoding == "latin-1" || encoding == "windows-1252") {
            decode_latin1(text_);
        } else {
            fail(0, "<?xml?>", "text in UTF-8, UTF-16 or ISO 8859-1", "encoding " + in_quotes(encoding));
        }
    }
    if (census.forbidden) {
        const auto at = std::find_if(text_.begin(), text_.end(), [](char c) {
            return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
        });
        fail(static_cast<std::size_t>(at - text_.begin()), "", "text",
             "the control character " + hex(static_cast<unsigned char>(*at)));
    }
}

void Source::decode_utf16(std::string_view bytes, bool big_endian) {
    const auto unit = [&](std::size_t at) -> char32_t {
        const auto first = static_cast<unsigned char>(bytes[at]);
        const auto second = static_cast<unsigned char>(bytes[at + 1]);
        return static_cast<char32_t>(big_endian ? first * 256U + second : second * 256U + first);
    };
    owned_.reserve(bytes.size() / 2);
    std::size_t at = 0;
    for (; at + 1 < bytes.size(); at += 2) {
        char32_t code = unit(at);
        if (code >= 0xD800 && code < 0xDC00 && at + 3 < bytes.size()) {
            const char32_t low = unit(at + 2);
            if (low >= 0xDC00 && low < 0xE000) {
                code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
                at += 2;
            }
        }
        if (!is_xml_char(code)) {
            text_ = owned_;
            fail(owned_.size(), "", "text in UTF-16", "the code unit " + hex(static_cast<unsigned>(code)));
        }
        append_utf8(owned_, code);
    }
    text_ = owned_;
    if (at < bytes.size()) fail(owned_.size(), "", "text in UTF-16", "half a character at the end");
}

void Source::decode_latin1(std::string_view bytes) {
    owned_.reserve(bytes.size() + bytes.size() / 8);
    for (const char byte : bytes) {
        const auto code = static_cast<unsigned char>(byte);
        if (code >= 0x80 && code < 0xA0) {
            // These are control characters in ISO 8859-1 and typographic characters in windows-1252. No name
            // contains the former, and the latter are not worth a table.
            text_ = owned_;
            fail(owned_.size(), "", "text in UTF-8, UTF-16 or ISO 8859-1", "the byte " + hex(code));
        }
        append_utf8(owned_, code);
    }
    text_ = owned_;
}

void Source::check_utf8() const {
    constexpr std::size_t block = 4096;
    for (std::size_t at = 0; at < text_.size();) {
        if (!take_census(text_.substr(at, block)).high) {
            at += block;
            continue;
        }
        for (const std::size_t end = std::min(at + block, text_.size()); at < end;) {
            if (static_cast<unsigned char>(text_[at]) < 0x80) {
                ++at;
                continue;
            }
            const Utf8Char c = first_utf8_char(text_.substr(at));
            if (c.length == 0 || !is_xml_char(c.code)) {
                fail(at, "",
                     "text in UTF-8 (ISO 8859-1 must be declared: <?xml ... encoding=\"ISO-8859-1\"?>)",
                     "the byte " + hex(static_cast<unsigned char>(text_[at])));
            }
            at += c.length;
        }
    }
}

void Source::resolve_entities() {
    std::string replaced = replace_entities(*this);
    if (replaced.empty()) return;
    owned_ = std::move(replaced);
    text_ = owned_;
}

void Source::fail(std::size_t offset, const std::string& element, const std::string& expected,
                  const std::string& found) const {
    const std::string_view before = text_.substr(0, std::min(offset, text_.size()));
    const std::size_t last_break = before.rfind('\n');
    const std::string_view line =
        last_break == std::string_view::npos ? before : before.substr(last_break + 1);
    const auto breaks = std::count(before.begin(), before.end(), '\n');
    const auto characters = std::count_if(
        line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
    throw PnmlError(
        {name_, static_cast<std::size_t>(breaks) + 1, static_cast<std::size_t>(characters) + 1, element},
        expected, found);
}

std::string in_quotes(std::string_view text) {
    constexpr std::size_t longest = 60;
    std::string result = "'";
    for (std::size_t at = 0; at < text.size();) {
        if (at >= longest) return result + "...'";
        const Utf8Char c = first_utf8_char(text.substr(at));
        const bool printable = c.length > 0 && c.code >= 0x20 && c.code != 0x7F;
        result += printable ? text.substr(at, c.length) : std::string_view("?");
        at += std::max(c.length, std::size_t{1});
    }
    return result + "'";
}

std::string in_tag(std::string_view name) {
    std::string result = "<";
    result += name;
    result += '>';
    return result;
}

}  // namespace warpnet::pnml::xml
