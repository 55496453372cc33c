#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace warpnet::cli {

/// "500ms", "30s", "2m", "1h", "1.5s"; a bare number means seconds. Nothing where `text` is something else.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

}  // namespace warpnet::cli
