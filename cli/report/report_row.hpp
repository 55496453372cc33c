#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace warpnet::cli {

/// Adds the line "  what                   value" of a report.
inline void add_row(std::string& text, std::string_view what, const std::string& value) {
    text += fmt::format("  {:<22} {}\n", what, value);
}

}  // namespace warpnet::cli
