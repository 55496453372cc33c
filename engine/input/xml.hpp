#pragma once

#include "engine/input/unread.hpp"

#include <cstddef>
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

/// Whether a node is text, plain or CDATA.
inline bool is_text(pugi::xml_node node) {
    return node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata;
}

/// An element of an XmlDocument, which must outlive it, or nothing. Access to an attribute or a child marks
/// it as read.
class XmlElement {
  public:
    XmlElement() = default;

    explicit operator bool() const { return !node_.empty(); }
    bool operator==(const XmlElement& other) const { return node_ == other.node_; }

    /// As written, including its prefix.
    std::string_view name() const { return node_.name(); }
    /// "file.xml:12: <items> in <tasks> 'Gpu'": up to the first element with a name or an id.
    std::string where() const;

    std::optional<std::string_view> attribute(const char* name) const;
    /// The value of an attribute, or the default if it is missing.
    std::string_view attribute_or(const char* name, std::string_view otherwise) const;
    /// The text between the tags.
    std::string_view text() const;

    /// The first child element with that name, or nothing. A second one stays unread.
    XmlElement child(const char* name) const;
    /// All child elements with that name.
    std::vector<XmlElement> children(const char* name) const;
    /// All child elements.
    std::vector<XmlElement> children() const;
    /// All child elements, or those with a name. They stay unread until read() is called.
    std::vector<XmlElement> peek(const char* name = nullptr) const;
    XmlElement parent() const;

    /// Marks this element and its attribute `name` as read.
    void read() const;

    /// Marks this element and its content as read.
    void read_all() const;

    /// Adds a warning to finish(): an element has an interpretation that affects the answer. Repeated notes
    /// on one element count once.
    void note(std::string what, std::string consequence) const;
    /// Throws InputError.
    [[noreturn]] void fail(std::string_view expected, std::string_view found) const;

  private:
    friend XmlDocument;
    XmlElement(const XmlDocument& document, pugi::xml_node node) : document_(&document), node_(node) {}

    const XmlDocument* document_ = nullptr;
    pugi::xml_node node_;
};

/// A parsed XML text that records which of its parts have been read. Use read_xml().
class XmlDocument {
  public:
    /// Throws InputError with the line if the text is not well-formed.
    XmlDocument(std::string_view text, std::string source);

    XmlElement root() const { return {*this, root_}; }

    /// Judges all attributes, elements and texts that have not been read; see judge_unread(). Paths begin
    /// below the root, attributes are "@x", texts "#text". Namespace declarations are ignored.
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
    mutable std::set<std::pair<const void*, std::string>> noted_;  // elements with their notes
    mutable std::unordered_set<const void*> read_;                 // attributes, elements and texts
};

/// The reason why a text is no XML, such as "Start-end tags mismatch", or that its end is missing: a file may
/// be cut off.
std::string xml_fault(const pugi::xml_parse_result& result, std::string_view text);

/// Parses `text` and returns read(root) if no part of the document is left unread; see judge_unread(). The
/// result must not contain elements of the document.
template <class Read>
auto read_xml(std::string_view text, const std::string& source, Read&& read,
              std::span<const IgnoredPart> ignored = {}, std::vector<std::string>* warnings = nullptr) {
    const XmlDocument document(text, source);
    auto result = read(document.root());
    document.finish(ignored, warnings);
    return result;
}

}  // namespace warpnet
