// Text without locale: splitting, similar words, UTF-8 and characters that must not reach a terminal.
//
// edit_distance() is dynamic programming over the prefixes of both words. Three rows suffice, because an
// exchange of neighbours looks two rows back: time O(|a| * |b|), memory O(|b|). No character takes part in
// two changes. The distance that allows this needs the whole table. UTF-8 is decoded strictly, since an
// overlong form could hide a control character from visible().

#include "engine/base/text.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

namespace warpnet {

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        next[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            next[j + 1] = std::min({row[j] + (a[i] == b[j] ? 0 : 1), next[j] + 1, row[j + 1] + 1});
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
                next[j + 1] = std::min(next[j + 1], before[j - 1] + 1);
        }
        before.swap(row);
        row.swap(next);
    }
    return row.back();
}

std::size_t common_part(std::string_view a, std::string_view b) {
    std::size_t longest = 0;
    for (std::size_t begin = 0; begin <= a.size();) {
        const std::size_t end = std::min(a.find_first_of("_-", begin), a.size());
        const std::string_view part = a.substr(begin, end - begin);
        const std::size_t at = part.empty() ? std::string_view::npos : b.find(part);
        const auto is_border = [&](std::size_t place) {
            return place >= b.size() || b[place] == '_' || b[place] == '-';
        };
        if (at != std::string_view::npos && (at == 0 || is_border(at - 1)) && is_border(at + part.size()))
            longest = std::max(longest, part.size());
        begin = end + 1;
    }
    return longest;
}

Utf8Char first_utf8_char(std::string_view text) noexcept {
    if (text.empty()) return {};
    const auto lead = static_cast<unsigned char>(text[0]);
    if (lead < 0x80) return {lead, 1};
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
    char32_t code = lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        const auto next = static_cast<unsigned char>(text[i]);
        if ((next & 0xC0U) != 0x80U) return {};
        code = (code << 6U) | (next & 0x3FU);
    }
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    if (overlong || surrogate || code > 0x10FFFF) return {};
    return {code, length};
}

void append_utf8(std::string& out, char32_t code) {
    const auto byte = [](char32_t value) { return static_cast<char>(static_cast<unsigned char>(value)); };
    if (code < 0x80) {
        out += byte(code);
    } else if (code < 0x800) {
        out += {byte(0xC0U | (code >> 6U)), byte(0x80U | (code & 0x3FU))};
    } else if (code < 0x10000) {
        out +=
            {byte(0xE0U | (code >> 12U)), byte(0x80U | ((code >> 6U) & 0x3FU)), byte(0x80U | (code & 0x3FU))};
    } else {
        out += {byte(0xF0U | (code >> 18U)), byte(0x80U | ((code >> 12U) & 0x3FU)),
                byte(0x80U | ((code >> 6U) & 0x3FU)), byte(0x80U | (code & 0x3FU))};
    }
}

std::string visible(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const Utf8Char c = first_utf8_char(text);
        const bool control = (c.code < 0x20 && c.code != '\n' && c.code != '\t') ||
                             (c.code >= 0x7F && c.code < 0xA0) || c.code == 0xFFFE || c.code == 0xFFFF;
        if (c.length == 0)
            result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
        else if (control)
            result += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c.code));
        else
            result += text.substr(0, c.length);
        text.remove_prefix(c.length == 0 ? 1 : c.length);
    }
    return result;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& words) {
    const std::string nearest = most_similar(word, words);
    return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

namespace {

bool in_word(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
           c == ',' || c == '-' || c == '/' || c == '\'' || c == '#' || c == '^' || c == '=';
}

}  // namespace

std::string grouped_digits(std::string_view digits) {
    std::string text;
    if (digits.starts_with('-')) {
        text = "-";
        digits.remove_prefix(1);
    }
    const std::size_t whole = std::min(digits.find_first_of(".e"), digits.size());
    for (std::size_t i = 0; i < whole; ++i) {
        if (i > 0 && (whole - i) % 3 == 0) text += ',';
        text += digits[i];
    }
    return text += digits.substr(whole);
}

std::string with_grouped_numbers(std::string_view sentence) {
    std::string text;
    while (!sentence.empty()) {
        std::size_t end = 0;
        while (end < sentence.size() && in_word(sentence[end])) ++end;
        std::string_view word = sentence.substr(0, end);
        std::size_t last = word.find_last_not_of(".,");  // punctuation of the sentence
        last = last == std::string_view::npos ? 0 : last + 1;
        const std::string_view number = word.substr(0, last);
        const bool whole = !number.empty() && number.find_first_not_of("0123456789") == std::string::npos;
        text += whole ? grouped_digits(number) : std::string(number);
        text += word.substr(last);
        sentence.remove_prefix(end);
        if (!sentence.empty()) {
            text += sentence.front();
            sentence.remove_prefix(1);
        }
    }
    return text;
}

}  // namespace warpnet
