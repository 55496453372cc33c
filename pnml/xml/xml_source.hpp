#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpnet::xml {

/// The text of an XML document as UTF-8, checked for what a lenient parser would let pass: bytes that are no
/// text, characters that XML forbids, references to characters and entities that do not exist. Simple text
/// entities of an internal DTD are replaced (XML 1.0, section 4.4.2); nested, external and overlong ones are
/// refused, so that the text never grows by more than max_entity_growth.
class Source {
  public:
    static constexpr std::size_t max_entity_growth = 1 << 20;  ///< bytes

    /// Accepts UTF-8, UTF-16 (by byte order mark or first character) and ISO 8859-1 (by declaration). Keeps a
    /// view of `bytes`, which must outlive the source. Throws PnmlError. O(size); plain ASCII is not copied.
    Source(std::string_view bytes, std::string name);

    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;

    /// Without byte order mark.
    std::string_view text() const noexcept { return text_; }

    /// Throws the PnmlError of a byte of text(). O(offset).
    [[noreturn]] void fail(std::size_t offset, const std::string& element, const std::string& expected,
                           const std::string& found) const;

  private:
    void decode(std::string_view bytes);
    void decode_utf16(std::string_view bytes, bool big_endian);
    void decode_latin1(std::string_view bytes);
    void check_utf8() const;
    void resolve_entities();

    std::string name_;
    std::string owned_;  // the text where it differs from the bytes
    std::string_view text_;
};

/// The text of `source` with the simple text entities of its internal DTD replaced; empty where nothing had
/// to be replaced. Throws PnmlError for every reference that is none of: the five entities of XML, a
/// character that XML allows, an entity declared as plain text. Declarations of external or nested entities
/// are refused where they are used; attribute defaults where they stand.
std::string replace_entities(const Source& source);

/// Text for an error message: in quotes, control characters replaced, cut where it is long.
std::string in_quotes(std::string_view text);

/// The name of an element as `<name>`.
std::string in_tag(std::string_view name);

/// The letters A to Z made small, the same in every locale.
std::string in_small_letters(std::string_view text);

/// The characters that XML calls white space, cut from both ends.
std::string_view trim(std::string_view text);

/// Whether XML 1.0 allows this character (section 2.2).
constexpr bool is_xml_char(char32_t c) noexcept {
    return c == 0x9 || c == 0xA || c == 0xD || (c >= 0x20 && c <= 0xD7FF) || (c >= 0xE000 && c <= 0xFFFD) ||
           (c >= 0x10000 && c <= 0x10FFFF);
}

/// One character of UTF-8. `length` is 0 where no valid character begins.
struct Utf8Char {
    char32_t code = 0;
    std::size_t length = 0;
};

/// Decodes the character at the begin of `text`, strictly: no overlong forms, no surrogates.
Utf8Char first_utf8_char(std::string_view text) noexcept;

void append_utf8(std::string& out, char32_t code);

}  // namespace warpnet::xml
