#pragma once

#include "pnml/xml/xml_source.hpp"

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

namespace warpnet::pnml::xml {

/// A parsed XML document that knows the position of each part. Elements are compared by local name. Elements
/// with the prefix of the root element are PNML, and all further elements are foreign.
class Document {
  public:
    /// Throws PnmlError if the text is not one well-formed element. O(size). `bytes` must outlive this
    /// object.
    Document(std::string_view bytes, std::string source_name);

    pugi::xml_node root() const { return root_; }

    /// The name of an element without its prefix. Empty for a foreign element and for other nodes.
    std::string_view local_name(pugi::xml_node node) const;

    /// The text of an element without that of its children, as XML defines it: comments are removed, and
    /// CDATA sections are included. The view lives as long as the document.
    std::string_view text_of(pugi::xml_node element) const;

    /// Rejects an element with a repeated attribute, which the parser accepts, or with more than 64
    /// attributes.
    void check_attributes(pugi::xml_node element) const;

    [[noreturn]] void fail(pugi::xml_node at, const std::string& expected, const std::string& found) const;
    [[noreturn]] void fail(pugi::xml_node at, pugi::xml_attribute attribute, const std::string& expected,
                           const std::string& found) const;

    /// "net.pnml:3:5: <place id='p'>"
    std::string where(pugi::xml_node at) const;

    /// The message of the exception that fail() would throw.
    std::string message(pugi::xml_node at, const std::string& expected, const std::string& found) const;

  private:
    std::size_t offset_of(pugi::xml_node node) const;
    std::string describe(pugi::xml_node node) const;

    Source source_;
    std::vector<char> buffer_;  // the parser rewrites the text in place
    pugi::xml_document document_;
    pugi::xml_node root_;
    std::string_view prefix_;                 // of the root element, with its colon
    mutable std::deque<std::string> joined_;  // texts of several pieces
};

}  // namespace warpnet::pnml::xml
