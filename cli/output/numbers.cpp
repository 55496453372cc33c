// The numbers of texts, with thousands separators, which JSON and CSV do not have.

#include "cli/output/numbers.hpp"

#include <fmt/format.h>

namespace warpnet::cli {

std::string grouped(double number, int decimals) {
    return grouped_digits(fmt::format("{:.{}f}", number, decimals));
}

std::string amount(std::uint64_t count, std::string_view noun) {
    return grouped_digits(std::to_string(count)) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace warpnet::cli
