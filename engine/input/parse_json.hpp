#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace warpnet {

/// The JSON library copies and prints values by recursion, so a text of a million brackets would end the
/// program. No file of ours nests more than ten deep.
inline constexpr std::size_t most_json_depth = 1000;

/// InputError with `source`, line and column where objects and arrays nest deeper than most_json_depth.
void require_shallow_json(std::string_view text, const std::string& source);

/// Parses a text that the program itself has written (checkpoints, traces, reports) into a value of the JSON
/// library. What users write is read by read_json(), which reports what is left unread. Throws the library's
/// exceptions if the text is malformed, InputError if it nests too deep. O(text).
template <class Json = nlohmann::json>
Json parse_json(std::string_view text, const std::string& source) {
    require_shallow_json(text, source);
    return Json::parse(text);
}

}  // namespace warpnet
