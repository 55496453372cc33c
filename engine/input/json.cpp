// Parses JSON into a flat array of nodes, from the events of the JSON library. The library's own tree is not
// used, for three reasons. It has no positions for error messages, and it hides repeated members. It also
// copies and prints values by recursion, so that deep nesting would overflow the stack. Here a node knows its
// parent and the end of its content. A walk over children skips from end to end and needs no recursion.

#include "engine/input/json.hpp"

#include "engine/base/text.hpp"
#include "engine/base/to_json.hpp"
#include "engine/input/file_format.hpp"
#include "engine/input/parse_json.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <unordered_set>

#include <nlohmann/json.hpp>

namespace warpnet {

namespace {

using Json = nlohmann::json;

constexpr std::string_view comment = "comment";

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

/// The parser reads through this iterator, so that its events know their position.
struct CountingIterator {
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    reference operator*() const { return *at; }
    CountingIterator& operator++() {
        *reached = ++at;
        return *this;
    }
    bool operator==(const CountingIterator& other) const { return at == other.at; }
    bool operator!=(const CountingIterator& other) const { return at != other.at; }

    const char* at = nullptr;
    const char** reached = nullptr;
};

}  // namespace

/// Receives the events of the parser and appends nodes.
class JsonDocument::Builder : public nlohmann::json_sax<Json> {
  public:
    explicit Builder(JsonDocument& document) : document_(document) {}

    void parse() {
        const std::string_view text = document_.text_;
        if (text.size() >= std::numeric_limits<std::uint32_t>::max())
            throw InputError(document_.source_ + ": expected JSON of less than 4 GiB, found more");
        reached_ = text.data();
        const char* end_reached = nullptr;
        Json::sax_parse(CountingIterator{text.data(), &reached_},
                        CountingIterator{text.data() + text.size(), &end_reached}, this);
        if (!fault_.empty()) throw InputError(fault_);
    }

    bool null() override { return add(Kind::null); }
    bool boolean(bool value) override { return add(Kind::boolean, value ? 1 : 0); }
    bool number_integer(number_integer_t value) override { return add(Kind::whole, value); }
    bool number_unsigned(number_unsigned_t value) override {
        if (value <= static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max()))
            return add(Kind::whole, static_cast<std::int64_t>(value));
        return number_float(static_cast<double>(value), {});
    }
    bool number_float(number_float_t value, const string_t&) override {
        add(Kind::real);
        document_.nodes_.back().real = value;
        return true;
    }
    bool string(string_t& value) override { return add(Kind::text, keep(std::move(value))); }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(Kind::object); }
    bool start_array(std::size_t) override { return open(Kind::array); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t& value) override {
        if (!keys_.back().insert(value).second && value != comment) {
            for (const std::uint32_t node : open_)
                document_.nodes_[node].end = static_cast<std::uint32_t>(document_.nodes_.size());
            const auto line = 1 + std::count(document_.text_.data(), reached_, '\n');
            const std::string at = document_.path(open_.back(), true);
            fault_ = document_.source_ + ":" + std::to_string(line) + (at.empty() ? "" : ": " + at) +
                     ": expected member " + in_quotes(value) + " once, found it twice";
            return false;
        }
        key_ = static_cast<std::uint32_t>(keep(std::move(value)));
        return true;
    }

    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) override {
        fault_ = document_.source_ + ": " + json_fault(error);
        return false;
    }

  private:
    std::int64_t keep(std::string&& text) {
        document_.texts_.push_back(std::move(text));
        return static_cast<std::int64_t>(document_.texts_.size() - 1);
    }

    bool add(Kind kind, std::int64_t value = 0) {
        Node node;
        node.kind = kind;
        node.parent = open_.empty() ? 0 : open_.back();
        node.end = static_cast<std::uint32_t>(document_.nodes_.size() + 1);
        node.key = key_;
        const char* behind = reached_;
        // Only after a number the parser has read one character ahead.
        if (kind == Kind::whole || kind == Kind::real)
            while (std::isdigit(static_cast<unsigned char>(behind[-1])) == 0) --behind;
        node.offset = static_cast<std::uint32_t>(behind - document_.text_.data());
        node.whole = value;
        document_.nodes_.push_back(node);
        key_ = 0;
        return true;
    }

    bool open(Kind kind) {
        add(kind);
        open_.push_back(static_cast<std::uint32_t>(document_.nodes_.size() - 1));
        keys_.emplace_back();
        return true;
    }

    bool close() {
        document_.nodes_[open_.back()].end = static_cast<std::uint32_t>(document_.nodes_.size());
        open_.pop_back();
        keys_.pop_back();
        return true;
    }

    JsonDocument& document_;
    std::vector<std::uint32_t> open_;                    // objects and arrays around the current position
    std::vector<std::unordered_set<std::string>> keys_;  // their keys so far
    std::uint32_t key_ = 0;
    const char* reached_ = nullptr;
    std::string fault_;
};

JsonDocument::JsonDocument(std::string_view text, std::string source)
    : text_(text), source_(std::move(source)) {
    require_format(text_, source_, "JSON", {FileFormat::json, FileFormat::task_set, FileFormat::flow_graph});
    if (const std::string found = other_text(text_, "{[\"-0123456789tfn"); !found.empty())
        throw InputError(source_ + ": expected JSON, found " + found);
    Builder(*this).parse();
    nodes_.front().read = true;
}

/// The nodes of the elements or members, in the order of the text.
std::vector<std::uint32_t> JsonDocument::children(std::uint32_t node) const {
    std::vector<std::uint32_t> result;
    if (nodes_[node].kind != Kind::array && nodes_[node].kind != Kind::object) return result;
    for (std::uint32_t child = node + 1; child < nodes_[node].end; child = nodes_[child].end)
        result.push_back(child);
    return result;
}

std::string JsonDocument::path(std::uint32_t node, bool positions) const {
    std::vector<std::uint32_t> chain;
    for (; node != 0; node = nodes_[node].parent) chain.push_back(node);
    std::string result;
    for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
        if (is_member(*at)) {
            result += (result.empty() ? "" : positions ? "." : "/") + key_of(*at);
        } else if (positions) {
            const std::vector<std::uint32_t> siblings = children(nodes_[*at].parent);
            const auto position = std::find(siblings.begin(), siblings.end(), *at) - siblings.begin();
            result += "[" + std::to_string(position) + "]";
        }
    }
    return result;
}

std::string JsonDocument::where(std::uint32_t node, std::uint32_t named) const {
    if (node == 0) return source_;
    const std::string_view before = text_.substr(0, nodes_[node].offset);
    const std::string line = std::to_string(1 + std::count(before.begin(), before.end(), '\n'));
    const std::string at = path(named, true);
    return source_ + ":" + line + (at.empty() ? "" : ": " + at);
}

std::string_view JsonDocument::place_of(std::uint32_t node) const {
    while (node != 0 && !is_member(node)) node = nodes_[node].parent;
    return key_of(node);
}

std::set<std::string, std::less<>>& JsonDocument::ask(std::uint32_t node, std::string_view key) const {
    auto place = asked_.find(place_of(node));
    if (place == asked_.end()) place = asked_.try_emplace(std::string(place_of(node))).first;
    if (!key.empty() && !place->second.contains(key)) place->second.emplace(key);
    return place->second;
}

std::string JsonDocument::shown(std::uint32_t node) const {
    const Node& value = nodes_[node];
    std::string result;
    switch (value.kind) {
        case Kind::null:
            return "null";
        case Kind::boolean:
            return value.whole != 0 ? "true" : "false";
        case Kind::whole:
            return std::to_string(value.whole);
        case Kind::real:
            return json_text(Json(value.real));
        case Kind::text:
            result = json_text(Json(texts_[static_cast<std::size_t>(value.whole)]));
            break;
        case Kind::array:
        case Kind::object:
            result = text_.substr(value.offset - 1, 100);
            std::erase_if(result, [](char c) { return c == '\n' || c == '\r' || c == '\t'; });
            const bool empty = value.end == node + 1;
            if (empty) result = value.kind == Kind::array ? "[]" : "{}";
    }
    return result.size() > 60 ? result.substr(0, 57) + "..." : result;
}

std::string JsonDocument::hint(std::uint32_t member) const {
    const std::string& key = key_of(member);
    const auto asked_here = asked_.find(place_of(nodes_[member].parent));
    const auto asked = [&](const auto& place) { return place.second.contains(key); };
    if (std::any_of(asked_.begin(), asked_.end(), asked)) return "it has no meaning here";
    const std::string near = asked_here == asked_.end() ? "" : most_similar(key, asked_here->second);
    return near.empty() ? "" : "did you mean " + in_quotes(near) + "?";
}

void JsonDocument::finish(std::span<const IgnoredPart> ignored, std::vector<std::string>* warnings) const {
    std::vector<UnreadPart> unread;
    for (std::uint32_t node = 0; node < nodes_.size();) {
        if (nodes_[node].read) {
            ++node;
            continue;
        }
        if (!is_member(node))
            unread.push_back(
                {"element " + shown(node), path(node, false), [this, node] { return where(node, node); }});
        else if (key_of(node) != comment)
            unread.push_back({"member " + in_quotes(key_of(node)), path(node, false),
                              [this, node] { return where(node, nodes_[node].parent); },
                              [this, node] { return hint(node); }});
        node = nodes_[node].end;
    }
    judge_unread(unread, ignored, notes_, warnings);
}

std::string JsonValue::where() const { return document_->where(node_, node_); }

bool JsonValue::is_object() const { return document_->nodes_[node_].kind == JsonDocument::Kind::object; }
bool JsonValue::is_array() const { return document_->nodes_[node_].kind == JsonDocument::Kind::array; }
bool JsonValue::is_text() const { return document_->nodes_[node_].kind == JsonDocument::Kind::text; }
bool JsonValue::is_number() const {
    const JsonDocument::Kind kind = document_->nodes_[node_].kind;
    return kind == JsonDocument::Kind::whole || kind == JsonDocument::Kind::real;
}

std::optional<JsonValue> JsonValue::find(std::string_view key) const {
    if (!is_object()) fail("an object");
    document_->ask(node_, key);
    const auto& nodes = document_->nodes_;
    for (std::uint32_t child = node_ + 1; child < nodes[node_].end; child = nodes[child].end) {
        if (document_->key_of(child) != key) continue;
        nodes[child].read = true;
        return JsonValue(*document_, child);
    }
    return std::nullopt;
}

bool JsonValue::has(std::string_view key) const {
    if (!is_object()) return false;
    document_->ask(node_, key);
    const std::vector<std::uint32_t> children = document_->children(node_);
    return std::any_of(children.begin(), children.end(),
                       [&](std::uint32_t child) { return document_->key_of(child) == key; });
}

JsonValue JsonValue::at(std::string_view key) const {
    if (const auto found = find(key)) return *found;
    std::vector<std::string_view> others;
    for (const std::uint32_t child : document_->children(node_))
        if (!document_->ask(node_).contains(document_->key_of(child)))
            others.push_back(document_->key_of(child));
    const std::string similar = most_similar(key, others);
    if (!similar.empty()) others = {similar};
    // 'duration' instead of the expected 'time': no typing error, but one of the few members without a
    // meaning so far.
    constexpr std::size_t most_listed = 4;
    std::string found;
    for (const std::string_view other : std::span(others).first(std::min(others.size(), most_listed)))
        found += (found.empty() ? "" : ", ") + in_quotes(other);
    throw InputError(where() + ": expected member " + in_quotes(key) + ", found " +
                     (found.empty()      ? "none"
                      : !similar.empty() ? found
                                         : "none among " + found));
}

std::vector<std::pair<std::string, JsonValue>> JsonValue::members() const {
    if (!is_object()) fail("an object");
    std::vector<std::pair<std::string, JsonValue>> result;
    for (const std::uint32_t child : document_->children(node_)) {
        document_->nodes_[child].read = true;
        result.emplace_back(document_->key_of(child), JsonValue(*document_, child));
    }
    return result;
}

std::vector<JsonValue> JsonValue::elements() const {
    if (!is_array()) fail("an array");
    std::vector<JsonValue> result;
    for (const std::uint32_t child : document_->children(node_)) {
        document_->nodes_[child].read = true;
        result.push_back(JsonValue(*document_, child));
    }
    return result;
}

std::int64_t JsonValue::integer(std::int64_t least, std::int64_t most) const {
    const std::string range =
        least == std::numeric_limits<std::int64_t>::min() ? "a whole number"
        : most == std::numeric_limits<std::int64_t>::max()
            ? "a whole number of at least " + std::to_string(least)
            : "a whole number in " + std::to_string(least) + ".." + std::to_string(most);
    const JsonDocument::Node& node = document_->nodes_[node_];
    std::int64_t result = node.whole;
    if (node.kind == JsonDocument::Kind::real) {
        constexpr double exact = 9007199254740992.0;  // beyond 2^53 not every whole number is a double
        if (!(std::abs(node.real) <= exact) || std::trunc(node.real) != node.real) fail(range);
        result = static_cast<std::int64_t>(node.real);
    } else if (node.kind != JsonDocument::Kind::whole) {
        fail(range);
    }
    if (result < least || result > most) fail(range);
    return result;
}

double JsonValue::number() const {
    if (!is_number()) fail("a number");
    const JsonDocument::Node& node = document_->nodes_[node_];
    return node.kind == JsonDocument::Kind::real ? node.real : static_cast<double>(node.whole);
}

const std::string& JsonValue::text() const {
    if (!is_text()) fail("a text");
    return document_->texts_[static_cast<std::size_t>(document_->nodes_[node_].whole)];
}

bool JsonValue::boolean() const {
    if (document_->nodes_[node_].kind != JsonDocument::Kind::boolean) fail("true or false");
    return document_->nodes_[node_].whole != 0;
}

std::int64_t JsonValue::integer_or(std::string_view key, std::int64_t otherwise, std::int64_t least,
                                   std::int64_t most) const {
    const auto value = find(key);
    return value ? value->integer(least, most) : otherwise;
}

std::string JsonValue::text_or(std::string_view key, const std::string& otherwise) const {
    const auto value = find(key);
    return value ? value->text() : otherwise;
}

bool JsonValue::boolean_or(std::string_view key, bool otherwise) const {
    const auto value = find(key);
    return value ? value->boolean() : otherwise;
}

void JsonValue::note(std::string what, std::string consequence) const {
    document_->notes_.push_back(
        {std::move(what), std::move(consequence),
         [document = document_, node = node_] { return document->where(node, node); }});
}

void JsonValue::fail(std::string_view expected) const {
    throw InputError(where() + ": expected " + std::string(expected) + ", found " + document_->shown(node_));
}

}  // namespace warpnet
