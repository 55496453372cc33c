#pragma once

#include <optional>

#include <nlohmann/json.hpp>

namespace warpnet {

/// The value, or null if there is none.
template <class Json = nlohmann::ordered_json, class Value>
Json or_null(const std::optional<Value>& value) {
    return value ? Json(*value) : Json(nullptr);
}

}  // namespace warpnet
