#pragma once

#include "engine/base/text.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace warpnet::cli {

/// A whole number as texts show it: 7,127.
template <class Integer>
std::string grouped(Integer number) {
    return grouped_digits(std::to_string(number));
}
/// The same with decimals: 7,127.50.
std::string grouped(double number, int decimals);
/// "1 step", "7,127 steps".
std::string amount(std::uint64_t count, std::string_view noun);

}  // namespace warpnet::cli
