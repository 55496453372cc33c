// Whole numbers in the notations that people type: the digits without their separators, and then as many
// zeros as a letter or an exponent gives.

#include "engine/input/flag_items.hpp"

#include "engine/base/text.hpp"

#include <limits>

namespace warpnet {

std::optional<std::int64_t> parse_count(std::string_view text) {
    std::string digits;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool between = i > 0 && i + 1 < text.size() && is_digit(text[i - 1]) && is_digit(text[i + 1]);
        if (text[i] != '_' || !between) digits += text[i];
    }
    std::int64_t zeros = 0;
    constexpr std::string_view letters = "kMG";
    if (const std::size_t letter = digits.empty() ? std::string::npos : letters.find(digits.back());
        letter != std::string::npos) {
        digits.pop_back();
        zeros = static_cast<std::int64_t>(3 * (letter + 1));
    } else if (const std::size_t exponent = digits.find_first_of("eE"); exponent != std::string::npos) {
        const auto power = parse_number<std::int64_t>(std::string_view(digits).substr(exponent + 1));
        if (!power || *power < 0) return {};
        zeros = *power;
        digits.resize(exponent);
    }
    auto count = parse_number<std::int64_t>(digits);
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 10;
    for (; count && *count != 0 && zeros > 0; --zeros) {
        if (*count > most || *count < -most) return {};
        *count *= 10;
    }
    return count;
}

}  // namespace warpnet
