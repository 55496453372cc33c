#pragma once

#include "engine/input/unread.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <pugixml.hpp>

namespace warpnet {

class XmlDocument;

/// An element of an XmlDocument, which must outlive it, or nothing. Asking for an attribute or a child marks
/// it as read.
class XmlElement {
  public:
    XmlElement() = default;

    explicit operator bool() const { return !node_.empty(); }
    bool operator==(const XmlElement& other) const { return node_ == other.node_; }

    /// As it is written, with its prefix.
    std::string_view name() const { return node_.name(); }
    /// "file.xml:12: <items> in <tasks> 'Gpu'": up to the first element with a name or an id.
    std::string where() const;

    std::optional<std::string_view> attribute(const char* name) const;
    /// The same, or the default if there is no such attribute.
    std::string_view attribute_or(const char* name, std::string_view otherwise) const;
    /// The text between the tags.
    std::string_view text() const;

    /// The first child element of that name, or nothing. A second one stays unread.
    XmlElement child(const char* name) const;
    /// All child elements of that name.
    std::vector<XmlElement> children(const char* name) const;
    /// All child elements.
    std::vector<XmlElement> children() const;
    /// All child elements, or those of a name, which stay unread until read() is called.
    std::vector<XmlElement> peek(const char* name = nullptr) const;
    /// The child elements of that name by their attribute `name`. They stay unread until read() is called.
    std::map<std::string, XmlElement, std::less<>> by_name(const char* name) const;
    XmlElement parent() const;

    /// Marks this and its attribute `name` as read.
    void read() const;

    /// Marks this and all that is inside as read.
    void read_all() const;

    /// Warns, once finish() is called, of what is understood in a way that the answer depends on;
    /// of one element once.
    void note(std::string what, std::string consequence) const;
    /// Throws InputError.
    [[noreturn]] void fail(std::string_view expected, std::string_view found) const;

  private:
    friend XmlDocument;
    XmlElement(const XmlDocument& document, pugi::xml_node node) : document_(&document), node_(node) {}

    const XmlDocument* document_ = nullptr;
    pugi::xml_node node_;
};

/// A parsed XML text that records what is read of it. Use read_xml().
class XmlDocument {
  public:
    /// Throws InputError with the line if the text is not well-formed.
    XmlDocument(std::string_view text, std::string source);

    XmlElement root() const { return {*this, root_}; }

    /// Judges all attributes, elements and texts that nobody asked for; see judge_unread(). Paths begin below
    /// the root, attributes are "@x", texts "#text". Declarations of namespaces are no parts.
    void finish(std::span<const IgnoredPart> ignored = {},
                std::vector<std::string>* warnings = nullptr) const;

  private:
    friend XmlElement;

    std::string where(pugi::xml_node node, const char* inside) const;

    std::string source_;
    std::vector<char> buffer_;  // the parser rewrites it in place
    std::vector<std::size_t> line_starts_;
    pugi::xml_document document_;
    pugi::xml_node root_;
    mutable std::vector<ReaderNote> notes_;
    mutable std::set<std::pair<const void*, std::string>> noted_;  // elements with what is noted of them
    mutable std::unordered_set<const void*> read_;                 // attributes, elements and texts
};

/// Parses `text` and returns read(root) if that left no part of the document unread; see judge_unread(). The
/// result must not hold elements of the document.
template <class Read>
auto read_xml(std::string_view text, const std::string& source, Read&& read,
              std::span<const IgnoredPart> ignored = {}, std::vector<std::string>* warnings = nullptr) {
    const XmlDocument document(text, source);
    auto result = read(document.root());
    document.finish(ignored, warnings);
    return result;
}

}  // namespace warpnet
