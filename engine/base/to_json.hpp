#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace warpnet {

// Helpers for the conversion of results to JSON.

/// The value, or null if there is none.
template <class Json = nlohmann::ordered_json, class Value>
Json or_null(const std::optional<Value>& value) {
    return value ? Json(*value) : Json(nullptr);
}

/// The number, or null if it is infinite or NaN.
inline nlohmann::ordered_json finite_or_null(double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

/// A number of something that can be counted, whole if it is: 203 and 203.5, not 203.0.
inline nlohmann::ordered_json count_json(double value) {
    constexpr double exact = 9007199254740992;  // 2^53
    if (std::floor(value) == value && std::abs(value) < exact) return static_cast<std::int64_t>(value);
    return finite_or_null(value);
}

/// {id: value} for the nodes with a value other than 0, such as a marking or firings.
template <class Node, class Number>
nlohmann::ordered_json nonzero_json(std::span<const Node> nodes, const std::vector<Number>& values) {
    auto object = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != 0) object[nodes[i].id] = values[i];
    return object;
}

/// The text of a value, indented unless `indent` is -1. Names come from files and may contain any bytes, but
/// JSON may not. Each byte that is not UTF-8 becomes U+FFFD.
template <class Json>
std::string json_text(const Json& json, int indent = -1) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// The same as one line.
inline std::string json_line(const nlohmann::ordered_json& json) { return json_text(json) + "\n"; }

}  // namespace warpnet
