#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpnet::cli {

/// The digits of a whole number as texts show it, with or without a sign: 7,127.
std::string grouped_digits(std::string_view digits);
template <class Integer>
std::string grouped(Integer number) {
    return grouped_digits(std::to_string(number));
}
/// The same with decimals: 7,127.50.
std::string grouped(double number, int decimals);
/// "1 step", "7,127 steps".
std::string amount(std::uint64_t count, std::string_view noun);
/// A sentence of a library with its whole numbers grouped; words that contain letters stay.
std::string with_grouped_numbers(std::string_view sentence);

}  // namespace warpnet::cli
