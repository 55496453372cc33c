// The numbers of texts, with thousands separators, which JSON and CSV do not have.

#include "cli/output/numbers.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpnet::cli {

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

}  // namespace warpnet::cli
