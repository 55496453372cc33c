#pragma once

#include <cstdint>
#include <exception>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace warpnet {

/// A JSON value that knows where it stands, so that every complaint names the file and the path to the value.
/// Holds a pointer into the document, which must outlive it.
class JsonValue {
  public:
    /// The whole document, or its part at `path` ("kernels[2].time").
    JsonValue(const nlohmann::json& value, std::string source, std::string path = "")
        : value_(&value), source_(std::move(source)), path_(std::move(path)) {}

    const nlohmann::json& raw() const noexcept { return *value_; }
    /// "file.json: kernels[2].time"
    std::string where() const;

    bool has(std::string_view key) const { return value_->is_object() && value_->contains(key); }
    /// A member of an object; InputError where this is no object or has no such member.
    JsonValue at(std::string_view key) const;
    /// The elements of an array; InputError where this is none.
    std::vector<JsonValue> elements() const;

    /// A number without a fraction inside least..most; InputError else.
    std::int64_t integer(std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                         std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
    double number() const;
    const std::string& text() const;
    bool boolean() const;

    /// A member's integer, or the default where there is no such member.
    std::int64_t integer_or(std::string_view key, std::int64_t otherwise,
                            std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                            std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
    std::string text_or(std::string_view key, const std::string& otherwise) const;
    bool boolean_or(std::string_view key, bool otherwise) const;

    /// Throws InputError unless every member of this object is in the list or called "comment".
    void allow_only(const std::vector<std::string_view>& keys) const;

    [[noreturn]] void fail(std::string_view expected) const;

  private:
    const nlohmann::json* value_;
    std::string source_;
    std::string path_;
};

/// What an exception of the JSON library says, without the name of its class in front.
std::string json_fault(const std::exception& error);

/// The JSON library copies and prints values by recursion, so a text of a million brackets would end the
/// program. No file of ours nests more than ten deep.
inline constexpr std::size_t most_json_depth = 1000;

/// InputError with `source`, line and column where objects and arrays nest deeper than most_json_depth.
void require_shallow_json(std::string_view text, const std::string& source);

/// What every JSON text that comes from outside is read with. Throws the library's exceptions where it is
/// malformed, InputError where it nests too deep.
template <class Json = nlohmann::json>
Json read_json(std::string_view text, const std::string& source) {
    require_shallow_json(text, source);
    return Json::parse(text);
}

/// The same; InputError with `source`, line and column where the text is malformed, with the key where a
/// member stands twice in one object.
nlohmann::json parse_json(std::string_view text, const std::string& source);

}  // namespace warpnet
