#pragma once

#include "pnml/xml/xml_source.hpp"

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

namespace warpnet::xml {

/// A parsed XML document that can say where each of its parts stands. Elements are compared by local name:
/// those with the prefix of the root element count as PNML, others as foreign.
class Document {
  public:
    /// Throws PnmlError where the text is not one well-formed element. O(size); `bytes` must outlive this.
    Document(std::string_view bytes, std::string source_name);

    pugi::xml_node root() const { return root_; }

    /// The name of an element without its prefix; empty for a foreign element and for what is no element.
    std::string_view local_name(pugi::xml_node node) const;

    /// The text of an element without that of its children, as XML defines it: comments vanish, CDATA
    /// sections count. The view lives as long as the document.
    std::string_view text_of(pugi::xml_node element) const;

    /// Refuses an element that has one attribute twice, which the parser lets pass, or more than 64 of them.
    void check_attributes(pugi::xml_node element) const;

    [[noreturn]] void fail(pugi::xml_node at, const std::string& expected, const std::string& found) const;
    [[noreturn]] void fail(pugi::xml_node at, pugi::xml_attribute attribute, const std::string& expected,
                           const std::string& found) const;

    /// "net.pnml:3:5: <place id='p'>"
    std::string where(pugi::xml_node at) const;

    /// The message that fail() would throw.
    std::string message(pugi::xml_node at, const std::string& expected, const std::string& found) const;

  private:
    std::size_t offset_of(pugi::xml_node node) const;
    std::string describe(pugi::xml_node node) const;

    Source source_;
    std::vector<char> buffer_;  // where the parser rewrites the text in place
    pugi::xml_document document_;
    pugi::xml_node root_;
    std::string_view prefix_;                 // of the root element, with its colon
    mutable std::deque<std::string> joined_;  // texts of several pieces
};

}  // namespace warpnet::xml
