#pragma once

#include "engine/input/unread.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <limits>
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
/// to the value. Asking for a member or an element marks it as read.
class JsonValue {
  public:
    /// "file.json:12: kernels[2].time"; of the root "file.json".
    std::string where() const;

    bool is_object() const;
    bool is_array() const;
    bool is_text() const;
    bool is_number() const;

    /// Whether this is an object with that member, which thereby is not read.
    bool has(std::string_view key) const;
    /// A member of an object. Throws InputError if this is no object or has no such member. O(members).
    JsonValue at(std::string_view key) const;
    /// The same, or nothing if there is no such member.
    std::optional<JsonValue> find(std::string_view key) const;
    /// All members of an object whose keys are data, in the order of the file.
    std::vector<std::pair<std::string, JsonValue>> members() const;
    /// The elements of an array; InputError if this is none.
    std::vector<JsonValue> elements() const;

    /// A number without a fraction in least..most; InputError else.
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

    /// Warns, once finish() is called, of what is understood in a way that the answer depends on.
    void note(std::string what, std::string consequence) const;
    [[noreturn]] void fail(std::string_view expected) const;

  private:
    friend JsonDocument;
    JsonValue(const JsonDocument& document, std::uint32_t node) : document_(&document), node_(node) {}

    const JsonDocument* document_;
    std::uint32_t node_;
};

/// A parsed JSON text that records what is read of it. Use read_json().
class JsonDocument {
  public:
    /// Throws InputError with line and column if the text is malformed, with line and path if a member other
    /// than "comment" occurs twice in an object. The text must outlive this. O(text), at any depth.
    JsonDocument(std::string_view text, std::string source);

    JsonValue root() const { return {*this, 0}; }

    /// Judges all members and elements that nobody asked for; see judge_unread(). A member called "comment"
    /// is allowed everywhere.
    void finish(std::span<const IgnoredPart> ignored = {},
                std::vector<std::string>* warnings = nullptr) const;

  private:
    friend JsonValue;
    class Builder;

    enum class Kind : std::uint8_t { null, boolean, whole, real, text, array, object };

    /// Nodes are stored in the order of the text, so what is inside one follows it.
    struct Node {
        Kind kind = Kind::null;
        mutable bool read = false;
        std::uint32_t parent = 0;
        std::uint32_t end = 0;  ///< the first node behind this one and what is inside
        std::uint32_t key = 0;  ///< of a member: position in texts_
        std::uint32_t offset =
            0;  ///< in the text, behind the first character; of scalars behind the last one
        union {
            std::int64_t whole = 0;  ///< also 0 and 1 of booleans, and the position in texts_
            double real;
        };
    };

    bool is_member(std::uint32_t node) const {
        return node > 0 && nodes_[nodes_[node].parent].kind == Kind::object;
    }
    const std::string& key_of(std::uint32_t node) const { return texts_[nodes_[node].key]; }
    std::vector<std::uint32_t> children(std::uint32_t node) const;
    /// The line of one node and the path to another.
    std::string where(std::uint32_t node, std::uint32_t named) const;
    std::string hint(std::uint32_t member) const;
    std::string path(std::uint32_t node, bool positions) const;
    std::string shown(std::uint32_t node) const;

    std::string_view text_;
    std::string source_;
    std::vector<Node> nodes_;
    std::deque<std::string> texts_{""};
    mutable std::vector<ReaderNote> notes_;
    mutable std::set<std::string, std::less<>> asked_;  ///< keys of members that the reader knows
};

/// Parses `text` and returns read(root) if that left no part of the document unread; see judge_unread(). The
/// result must not hold values of the document.
template <class Read>
auto read_json(std::string_view text, const std::string& source, Read&& read,
               std::span<const IgnoredPart> ignored = {}, std::vector<std::string>* warnings = nullptr) {
    const JsonDocument document(text, source);
    auto result = read(document.root());
    document.finish(ignored, warnings);
    return result;
}

/// The message of an exception of the JSON library without the name of its class in front.
std::string json_fault(const std::exception& error);

}  // namespace warpnet
