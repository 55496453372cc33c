#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

/// Adds the line "  what                   value" of a report.
inline void add_row(std::string& text, std::string_view what, const std::string& value) {
    text += fmt::format("  {:<22} {}\n", what, value);
}

/// The value, or JSON's null where there is none.
template <class T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace warpnet::cli
