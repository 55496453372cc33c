#pragma once

#include "engine/base/to_json.hpp"
#include "engine/net/error.hpp"

#include <cstddef>
#include <exception>
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

/// The message of an exception of the JSON library, without the leading name of its class.
std::string json_fault(const std::exception& error);

/// Calls `read`. Exceptions of the JSON library become InputErrors that begin with `source`.
template <class Read>
auto name_json_faults(const std::string& source, Read&& read) {
    try {
        return read();
    } catch (const nlohmann::json::exception& error) {
        throw InputError(source + ": " + json_fault(error));
    }
}

/// The 16 hexadecimal digits that sealed_json() adds.
std::string text_checksum(std::string_view text);

/// The text of saved work with a checksum of its content. White space in the text does not matter. O(text).
template <class Json>
std::string sealed_json(Json json) {
    json["checksum"] = text_checksum(json_text(json));
    return json_text(json) + "\n";
}

/// Removes the checksum. Throws InputError if it is not that of the content.
template <class Json>
void remove_seal(Json& json, const std::string& source) {
    const Json written = json.at("checksum");
    json.erase("checksum");
    if (written != text_checksum(json_text(json)))
        throw InputError(source + (source.empty() ? "" : ": ") +
                         "damaged: the checksum is not that of its content");
}

/// Parses a text of sealed_json(), whose member `kind` is the version of its format. Throws InputError for
/// another version and for damaged content, and the exceptions of the library for anything else. O(text).
template <class Json = nlohmann::json>
Json read_sealed_json(std::string_view text, const std::string& source, const std::string& kind,
                      int version) {
    auto json = parse_json<Json>(text, source);
    if (json.at(kind) != version)
        throw InputError(source + (source.empty() ? "" : ": ") + "version " + json_text(json.at(kind)) +
                         "; expected " + std::to_string(version));
    remove_seal(json, source);
    return json;
}

}  // namespace warpnet
