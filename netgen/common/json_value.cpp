#include "netgen/common/json_value.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>

namespace warpnet {

namespace {

// The parser keeps the last of two equal keys; a file that says a thing twice is refused instead. (Its
// callback could tell as well, but takes quadratic time on long arrays.)
class RepeatedKeys : public nlohmann::json_sax<nlohmann::json> {
  public:
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
        return false;
    }
    bool start_object(std::size_t) override {
        keys_.emplace_back();
        return true;
    }
    bool end_object() override {
        keys_.pop_back();
        return true;
    }
    bool key(string_t& key) override {
        if (!keys_.back().insert(key).second) repeated_ = key;
        return !repeated_;
    }

    /// A key that stands twice in one object.
    const std::optional<std::string>& found() const { return repeated_; }

  private:
    std::vector<std::unordered_set<std::string>> keys_;  // of the objects around the parser's place
    std::optional<std::string> repeated_;
};

}  // namespace

std::string JsonValue::where() const {
    return path_.empty() ? source_ : fmt::format("{}: {}", source_, path_);
}

JsonValue JsonValue::at(std::string_view key) const {
    if (!value_->is_object()) fail("an object");
    const auto found = value_->find(key);
    if (found == value_->end())
        throw InputError(fmt::format("{}: expected member '{}', found none", where(), key));
    return {*found, source_, fmt::format("{}{}{}", path_, path_.empty() ? "" : ".", key)};
}

std::vector<JsonValue> JsonValue::elements() const {
    if (!value_->is_array()) fail("an array");
    std::vector<JsonValue> result;
    result.reserve(value_->size());
    for (std::size_t i = 0; i < value_->size(); ++i)
        result.emplace_back((*value_)[i], source_, fmt::format("{}[{}]", path_, i));
    return result;
}

std::int64_t JsonValue::integer(std::int64_t least, std::int64_t most) const {
    const std::string range = least == std::numeric_limits<std::int64_t>::min() ? "a whole number"
                              : most == std::numeric_limits<std::int64_t>::max()
                                  ? fmt::format("a whole number of at least {}", least)
                                  : fmt::format("a whole number in {}..{}", least, most);
    std::int64_t result = 0;
    if (value_->is_number_unsigned()) {
        const auto value = value_->get<std::uint64_t>();
        if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) fail(range);
        result = static_cast<std::int64_t>(value);
    } else if (value_->is_number_integer()) {
        result = value_->get<std::int64_t>();
    } else if (value_->is_number_float()) {
        const double value = value_->get<double>();
        constexpr double exact = 9007199254740992.0;  // beyond 2^53 a double skips whole numbers
        if (!(std::abs(value) <= exact) || std::trunc(value) != value) fail(range);
        result = static_cast<std::int64_t>(value);
    } else {
        fail(range);
    }
    if (result < least || result > most) fail(range);
    return result;
}

double JsonValue::number() const {
    if (!value_->is_number()) fail("a number");
    return value_->get<double>();
}

const std::string& JsonValue::text() const {
    if (!value_->is_string()) fail("a text");
    return value_->get_ref<const std::string&>();
}

bool JsonValue::boolean() const {
    if (!value_->is_boolean()) fail("true or false");
    return value_->get<bool>();
}

std::int64_t JsonValue::integer_or(std::string_view key, std::int64_t otherwise, std::int64_t least,
                                   std::int64_t most) const {
    return has(key) ? at(key).integer(least, most) : otherwise;
}

std::string JsonValue::text_or(std::string_view key, const std::string& otherwise) const {
    return has(key) ? at(key).text() : otherwise;
}

bool JsonValue::boolean_or(std::string_view key, bool otherwise) const {
    return has(key) ? at(key).boolean() : otherwise;
}

void JsonValue::allow_only(const std::vector<std::string_view>& keys) const {
    if (!value_->is_object()) fail("an object");
    for (const auto& member : value_->items())
        if (member.key() != "comment" && std::find(keys.begin(), keys.end(), member.key()) == keys.end())
            throw InputError(fmt::format("{}: unknown member '{}'; known: {}", where(), member.key(),
                                         fmt::join(keys, ", ")));
}

void JsonValue::fail(std::string_view expected) const {
    std::string found = value_->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (found.size() > 60) found = found.substr(0, 57) + "...";
    throw InputError(fmt::format("{}: expected {}, found {}", where(), expected, found));
}

std::string json_fault(const std::exception& error) {
    // The library's text reads "[json.exception.parse_error.101] parse error at line 3, column 5: ...".
    const std::string what = error.what();
    const std::size_t bracket = what.find("] ");
    return what.starts_with("[json.exception.") && bracket != std::string::npos ? what.substr(bracket + 2)
                                                                                : what;
}

void require_shallow_json(std::string_view text, const std::string& source) {
    std::size_t depth = 0, line = 1, line_begin = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\n') {
            ++line;
            line_begin = i + 1;
        } else if (quoted) {
            if (c == '\\') ++i;
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            if (++depth > most_json_depth)
                throw InputError(fmt::format("{}{}line {}, column {}: expected JSON nested at most {} deep",
                                             source, source.empty() ? "" : ": ", line, i + 1 - line_begin,
                                             most_json_depth));
        } else if ((c == ']' || c == '}') && depth > 0) {
            --depth;
        }
    }
}

nlohmann::json parse_json(std::string_view text, const std::string& source) {
    try {
        nlohmann::json document = read_json(text, source);
        RepeatedKeys repeated;
        nlohmann::json::sax_parse(text, &repeated);
        if (repeated.found())
            throw InputError(
                fmt::format("{}: member '{}' stands twice in one object", source, *repeated.found()));
        return document;
    } catch (const nlohmann::json::exception& error) {
        throw InputError(fmt::format("{}: {}", source, json_fault(error)));
    }
}

}  // namespace warpnet
