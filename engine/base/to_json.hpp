#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace warpnet {

// What the results of several libraries share when they become JSON.

/// The value, or null if there is none.
template <class Json = nlohmann::ordered_json, class Value>
Json or_null(const std::optional<Value>& value) {
    return value ? Json(*value) : Json(nullptr);
}

/// The number, or null if it is infinite or none.
inline nlohmann::ordered_json finite_or_null(double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

/// {id: value} of the nodes whose value is not 0: a marking, or firings.
template <class Node, class Number>
nlohmann::ordered_json nonzero_json(std::span<const Node> nodes, const std::vector<Number>& values) {
    auto object = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != 0) object[nodes[i].id] = values[i];
    return object;
}

/// One line. Names come from files and may hold any bytes, JSON may not: others are replaced.
inline std::string json_line(const nlohmann::ordered_json& json) {
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace warpnet
