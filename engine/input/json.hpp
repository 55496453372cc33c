#pragma once

#include "engine/input/unread.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpnet {

class JsonDocument;

/// A value of a JsonDocument, which must outlive it. Every InputError names the file, the line and the path
/// of the value. Access to a member or an element marks it as read.
class JsonValue {
  public:
    /// "file.json:12: kernels[2].time"; of the root "file.json".
    std::string where() const;

    bool is_object() const;
    bool is_array() const;
    bool is_text() const;
    bool is_number() const;

    /// Whether this is an object with that member. Does not mark the member as read.
    bool has(std::string_view key) const;
    /// A member of an object. Throws InputError if this is not an object or has no such member. O(members).
    JsonValue at(std::string_view key) const;
    /// The same, but empty if there is no such member.
    std::optional<JsonValue> find(std::string_view key) const;
    /// All members, in the order of the file, of an object whose keys are data.
    std::vector<std::pair<std::string, JsonValue>> members() const;
    /// The elements of an array. Throws InputError if this is not an array.
    std::vector<JsonValue> elements() const;

    /// An integer in least..most. Throws InputError otherwise.
    std::int64_t integer(std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                         std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
    double number() const;
    const std::string& text() const;
    bool boolean() const;

    /// A member's value, or the default if there is no such member.
    std::int64_t integer_or(std::string_view key, std::int64_t otherwise,
                            std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                            std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
    std::string text_or(std::string_view key, const std::string& otherwise) const;
    bool boolean_or(std::string_view key, bool otherwise) const;

    /// Adds a warning to finish(): a value has an interpretation that affects the answer.
    void note(std::string what, std::string consequence) const;
    [[noreturn]] void fail(std::string_view expected) const;

  private:
    friend JsonDocument;
    JsonValue(const JsonDocument& document, std::uint32_t node) : document_(&document), node_(node) {}

    const JsonDocument* document_;
    std::uint32_t node_;
};

/// A parsed JSON text that records which of its parts have been read. Use read_json().
class JsonDocument {
  public:
    /// Throws InputError with line and column if the text is malformed, and with line and path if an object
    /// has a member twice (other than "comment"). The text must outlive this object. O(text), at any depth.
    JsonDocument(std::string_view text, std::string source);

    JsonValue root() const { return {*this, 0}; }

    /// Judges all members and elements that have not been read; see judge_unread(). A member named "comment"
    /// is allowed everywhere.
    void finish(std::span<const IgnoredPart> ignored = {},
                std::vector<std::string>* warnings = nullptr) const;

  private:
    friend JsonValue;
    class Builder;

    enum class Kind : std::uint8_t { null, boolean, whole, real, text, array, object };

    /// Nodes are stored in the order of the text, so the content of a node follows it.
    struct Node {
        Kind kind = Kind::null;
        mutable bool read = false;
        std::uint32_t parent = 0;
        std::uint32_t end = 0;     ///< the first node after the content of this one
        std::uint32_t key = 0;     ///< for members: position in texts_
        std::uint32_t offset = 0;  ///< in the text, after the first character; for scalars after the last one
        union {
            std::int64_t whole = 0;  ///< also 0 or 1 for booleans, and the position in texts_
            double real;
        };
    };

    bool is_member(std::uint32_t node) const {
        return node > 0 && nodes_[nodes_[node].parent].kind == Kind::object;
    }
    const std::string& key_of(std::uint32_t node) const { return texts_[nodes_[node].key]; }
    std::vector<std::uint32_t> children(std::uint32_t node) const;
    /// The line of one node and the path of another.
    std::string where(std::uint32_t node, std::uint32_t named) const;
    std::string hint(std::uint32_t member) const;
    /// The key of the innermost member that is or contains a node, because objects with one key are of one
    /// kind.
    std::string_view place_of(std::uint32_t node) const;
    /// The keys of the place of an object, and one more of them.
    std::set<std::string, std::less<>>& ask(std::uint32_t node, std::string_view key = {}) const;
    std::string path(std::uint32_t node, bool positions) const;
    std::string shown(std::uint32_t node) const;

    std::string_view text_;
    std::string source_;
    std::vector<Node> nodes_;
    std::deque<std::string> texts_{""};
    mutable std::vector<ReaderNote> notes_;
    /// The keys that the reader knows, by place_of() their object.
    mutable std::map<std::string, std::set<std::string, std::less<>>, std::less<>> asked_;
};

/// Parses `text` and returns read(root) if no part of the document is left unread; see judge_unread(). The
/// result must not contain values of the document.
template <class Read>
auto read_json(std::string_view text, const std::string& source, Read&& read,
               std::span<const IgnoredPart> ignored = {}, std::vector<std::string>* warnings = nullptr) {
    const JsonDocument document(text, source);
    auto result = read(document.root());
    document.finish(ignored, warnings);
    return result;
}

}  // namespace warpnet
