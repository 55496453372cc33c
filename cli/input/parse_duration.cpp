#include "cli/input/parse_duration.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

namespace warpnet::cli {

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
    double amount = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
    if (error != std::errc() || !std::isfinite(amount) || amount < 0) return std::nullopt;
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    double milliseconds = 0;
    if (unit == "ms") {
        milliseconds = amount;
    } else if (unit == "s" || unit.empty()) {
        milliseconds = amount * 1e3;
    } else if (unit == "m" || unit == "min") {
        milliseconds = amount * 6e4;
    } else if (unit == "h") {
        milliseconds = amount * 3.6e6;
    } else {
        return std::nullopt;
    }
    constexpr double century = 3.2e12;  // milliseconds; more would overflow a clock
    if (milliseconds > century) return std::nullopt;
    return std::chrono::milliseconds(static_cast<std::int64_t>(milliseconds));
}

}  // namespace warpnet::cli
