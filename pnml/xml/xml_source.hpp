#pragma once

#include "engine/base/text.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace warpnet::pnml::xml {

/// The text of an XML document as UTF-8. It is checked for errors that a lenient parser accepts: invalid
/// bytes, characters that XML forbids, and references to unknown characters and entities. Simple text
/// entities of an internal DTD are replaced (XML 1.0, section 4.4.2). Nested, external and overlong entities
/// are rejected, so the text never grows by more than max_entity_growth.
class Source {
  public:
    static constexpr std::size_t max_entity_growth = 1 << 20;  ///< bytes

    /// Accepts UTF-8, UTF-16 (by byte order mark or first character) and ISO 8859-1 (by declaration). Keeps a
    /// view of `bytes`, which must outlive the source. Throws PnmlError. O(size); plain ASCII is not copied.
    Source(std::string_view bytes, std::string name);

    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;

    /// Without a byte order mark.
    std::string_view text() const noexcept { return text_; }

    /// Throws a PnmlError for a byte of text(). O(offset).
    [[noreturn]] void fail(std::size_t offset, const std::string& element, const std::string& expected,
                           const std::string& found) const;

  private:
    void decode(std::string_view bytes);
    void decode_utf16(std::string_view bytes, bool big_endian);
    void decode_latin1(std::string_view bytes);
    void check_utf8() const;
    void resolve_entities();

    std::string name_;
    std::string owned_;  // the text if it differs from the bytes
    std::string_view text_;
};

/// The text of `source` with the simple text entities of its internal DTD replaced. Empty if nothing was
/// replaced. Throws PnmlError for every reference other than the five entities of XML, a character that XML
/// allows, and an entity declared as plain text. External and nested entities are rejected at their use, and
/// attribute defaults at their declaration.
std::string replace_entities(const Source& source);

/// The text for an error message: quoted, without control characters, and shortened if it is long.
std::string in_quotes(std::string_view text);

/// The name of an element as `<name>`.
std::string in_tag(std::string_view name);

/// Whether XML 1.0 allows this character (section 2.2).
constexpr bool is_xml_char(char32_t c) noexcept {
    return c == 0x9 || c == 0xA || c == 0xD || (c >= 0x20 && c <= 0xD7FF) || (c >= 0xE000 && c <= 0xFFFD) ||
           (c >= 0x10000 && c <= 0x10FFFF);
}

}  // namespace warpnet::pnml::xml
