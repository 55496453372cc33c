#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace warpnet {

/// The JSON library copies and prints values by recursion, so a text of a million brackets would crash the
/// program. The files of this project nest at most ten deep.
inline constexpr std::size_t most_json_depth = 1000;

/// Throws InputError with `source`, line and column if objects and arrays nest deeper than most_json_depth.
void require_shallow_json(std::string_view text, const std::string& source);

/// Parses a text written by the program itself (checkpoints, traces, reports) into a value of the JSON
/// library. Text written by users is read by read_json(), which reports unread parts. Throws the exceptions
/// of the library if the text is malformed, and InputError if it nests too deep. O(text).
template <class Json = nlohmann::json>
Json parse_json(std::string_view text, const std::string& source) {
    require_shallow_json(text, source);
    return Json::parse(text);
}

}  // namespace warpnet
