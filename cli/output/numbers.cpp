// The numbers of texts, with thousands separators, which JSON and CSV do not have.

#include "cli/output/numbers.hpp"

#include "engine/base/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpnet::cli {

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
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
        text += digits[i];
    }
    return text;
}

std::string grouped(double number, int decimals) {
    std::string text = fmt::format("{:.{}f}", number, decimals);
    const std::size_t sign = text.starts_with('-') ? 1 : 0;
    const std::size_t end = std::min(text.find('.'), text.size());
    if (text.find_first_not_of("0123456789", sign) < end) return text;  // inf, nan
    return text.substr(0, sign) + grouped_digits(std::string_view(text).substr(sign, end - sign)) +
           text.substr(end);
}

std::string amount(std::uint64_t count, std::string_view noun) {
    return grouped_digits(std::to_string(count)) + " " + std::string(noun) + (count == 1 ? "" : "s");
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

}  // namespace warpnet::cli
