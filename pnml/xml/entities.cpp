// Replaces simple entities of an internal DTD before parsing, as pugixml knows none. Nested, external and
// overlong entities are rejected at their use, which prevents exponential growth. Comments, CDATA and
// instructions are skipped. O(text + replacements).
//
// Nothing else of a DTD is read, so a validating parser is not needed. Attributes with default values would
// change elements without a trace, so they are rejected. The growth by all replacements is limited by
// Source::max_entity_growth. A text without entities is not copied.

#include "engine/base/text.hpp"
#include "pnml/xml/xml_source.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace warpnet::pnml::xml {

namespace {

constexpr auto npos = std::string_view::npos;
constexpr std::string_view white = " \t\r\n";

/// A general entity of the internal DTD. An entity with a reason must not be used.
struct Entity {
    std::string text;
    std::string refusal;
};

using Entities = std::map<std::string, Entity, std::less<>>;

/// Reads `<!DOCTYPE ...>`, which must begin at `at`. The XML parser reports malformed declarations.
class DoctypeReader {
  public:
    DoctypeReader(const Source& source, std::size_t at) : source_(source), text_(source.text()), at_(at) {}

    Entities read() {
        const std::size_t subset = skip_until("[>");
        if (subset == npos || text_[subset] == '>') return {};
        at_ = subset + 1;
        while (at_ < text_.size() && text_[at_] != ']') read_declaration();
        return std::move(entities_);
    }

  private:
    void read_declaration() {
        const std::string_view rest = text_.substr(at_);
        if (rest.starts_with("<!--")) {
            skip_past("-->");
        } else if (rest.starts_with("<?")) {
            skip_past("?>");
        } else if (rest.starts_with("<!")) {
            const std::size_t begin = at_;
            const std::size_t end = skip_until(">");
            if (rest.starts_with("<!ENTITY")) {
                read_entity(text_.substr(begin + 8, std::min(end, text_.size()) - begin - 8));
            } else if (rest.starts_with("<!ATTLIST") &&
                       text_.substr(begin, end - begin).find_first_of("\"'") != npos) {
                source_.fail(begin, "<!DOCTYPE>", "no default values for attributes", "<!ATTLIST>");
            }
            at_ = end == npos ? npos : end + 1;
        } else {
            ++at_;
        }
    }

    void read_entity(std::string_view declaration) {
        declaration = trimmed(declaration);
        if (declaration.starts_with("%")) return;  // a parameter entity, used only inside the DTD
        const std::size_t name_end = declaration.find_first_of(white);
        if (name_end == npos) return;
        const std::string name(declaration.substr(0, name_end));
        const std::string_view value = trimmed(declaration.substr(name_end));
        Entity entity;
        if (value.size() < 2 || (value.front() != '"' && value.front() != '\'') ||
            value.back() != value.front()) {
            entity.refusal = "an external entity";
        } else {
            entity.text = value.substr(1, value.size() - 2);
            if (entity.text.find_first_of("&<%") != npos)
                entity.refusal = "an entity made of references or markup";
        }
        entities_.emplace(name, std::move(entity));  // the first declaration binds (XML 1.0, section 4.2)
    }

    /// The next of the characters `wanted` outside quotation marks.
    std::size_t skip_until(std::string_view wanted) const {
        char quote = 0;
        for (std::size_t i = at_; i < text_.size(); ++i) {
            const char c = text_[i];
            if (quote != 0) {
                if (c == quote) quote = 0;
            } else if (c == '"' || c == '\'') {
                quote = c;
            } else if (wanted.find(c) != npos) {
                return i;
            }
        }
        return npos;
    }

    void skip_past(std::string_view end) {
        const std::size_t found = text_.find(end, at_);
        at_ = found == npos ? npos : found + end.size();
    }

    const Source& source_;
    std::string_view text_;
    std::size_t at_;
    Entities entities_;
};

/// Whether `reference`, the part between "&#" and ";", denotes a character that XML allows.
bool is_character_reference(std::string_view reference) {
    const bool hexadecimal = reference.starts_with("x");
    if (hexadecimal) reference.remove_prefix(1);
    if (reference.empty()) return false;
    char32_t code = 0;
    for (const char c : reference) {
        char32_t digit = 0;
        if (c >= '0' && c <= '9') {
            digit = static_cast<char32_t>(c - '0');
        } else if (hexadecimal && c >= 'a' && c <= 'f') {
            digit = static_cast<char32_t>(c - 'a' + 10);
        } else if (hexadecimal && c >= 'A' && c <= 'F') {
            digit = static_cast<char32_t>(c - 'A' + 10);
        } else {
            return false;
        }
        code = code * (hexadecimal ? 16 : 10) + digit;
        if (code > 0x10FFFF) return false;
    }
    return is_xml_char(code);
}

/// Appends entity text, escaped for content and attributes.
void append_escaped(std::string& out, std::string_view text) {
    for (const char c : text) {
        if (c == '"') {
            out += "&quot;";
        } else if (c == '\'') {
            out += "&apos;";
        } else if (c == '>') {
            out += "&gt;";
        } else {
            out += c;
        }
    }
}

/// Finds the references in a text, skipping comments, CDATA sections, processing instructions and the DTD.
class Replacer {
  public:
    explicit Replacer(const Source& source) : source_(source), text_(source.text()) {}

    std::string replace() {
        std::size_t special = find_special(0);
        for (std::size_t at = text_.find('&'); at != npos || special != npos;) {
            if (special < at) {
                const std::size_t end = pass_over(special);
                if (end == npos) break;  // unclosed: the XML parser reports it
                special = find_special(end);
                if (at < end) at = text_.find('&', end);
            } else {
                at = text_.find('&', replace_reference(at));
            }
        }
        if (copied_ > 0) result_ += text_.substr(copied_);
        return std::move(result_);
    }

  private:
    std::size_t find_special(std::size_t from) const {
        while (true) {
            const std::size_t found = text_.find('<', from);
            if (found == npos || found + 1 >= text_.size()) return npos;
            if (text_[found + 1] == '!' || text_[found + 1] == '?') return found;
            from = found + 1;
        }
    }

    std::size_t pass_over(std::size_t at) {
        const std::string_view rest = text_.substr(at);
        if (rest.starts_with("<!DOCTYPE")) {
            entities_ = DoctypeReader(source_, at).read();
            return end_of_doctype(at);
        }
        const std::string_view end = rest.starts_with("<!--")        ? "-->"
                                     : rest.starts_with("<![CDATA[") ? "]]>"
                                     : rest.starts_with("<?")        ? "?>"
                                                                     : ">";
        const std::size_t found = text_.find(end, at + 2);
        return found == npos ? npos : found + end.size();
    }

    /// The end of the DTD: the first '>' outside quotation marks, brackets, comments and instructions.
    std::size_t end_of_doctype(std::size_t at) const {
        bool inside = false;
        for (std::size_t i = at + 2; i < text_.size();) {
            const std::string_view rest = text_.substr(i);
            const char c = text_[i];
            std::string_view end;
            if (rest.starts_with("<!--")) {
                end = "-->";
            } else if (rest.starts_with("<?")) {
                end = "?>";
            } else if (c == '"' || c == '\'') {
                end = rest.substr(0, 1);
            }
            if (!end.empty()) {
                const std::size_t found = text_.find(end, i + 1);
                if (found == npos) return npos;
                i = found + end.size();
                continue;
            }
            if (c == '[') inside = true;
            if (c == ']') inside = false;
            ++i;
            if (c == '>' && !inside) return i;
        }
        return npos;
    }

    /// Returns the position after the reference.
    std::size_t replace_reference(std::size_t at) {
        constexpr std::size_t longest_name = 200;
        const std::size_t end = text_.substr(at, longest_name).find(';');
        const std::string_view name = end == npos ? std::string_view() : text_.substr(at + 1, end - 1);
        if (name.empty() || name.find_first_of("<&> \t\r\n\"'") != npos) {
            source_.fail(at, "", "a reference such as &amp; (a plain & must be written so)",
                         in_quotes(text_.substr(at, 12)));
        }
        if (name == "lt" || name == "gt" || name == "amp" || name == "quot" || name == "apos")
            return at + end;
        if (name.front() == '#') {
            if (!is_character_reference(name.substr(1))) {
                source_.fail(at, "", "a character that XML allows", in_quotes(text_.substr(at, end + 1)));
            }
            return at + end;
        }
        const auto entity = entities_.find(name);
        if (entity == entities_.end()) {
            source_.fail(at, "", "an entity that the document declares",
                         in_quotes(text_.substr(at, end + 1)));
        }
        if (!entity->second.refusal.empty()) {
            source_.fail(at, "", "an entity declared as plain text",
                         in_quotes(text_.substr(at, end + 1)) + ", " + entity->second.refusal);
        }
        result_ += text_.substr(copied_, at - copied_);
        copied_ = at + end + 1;
        append_escaped(result_, entity->second.text);
        growth_ += entity->second.text.size();
        if (growth_ > Source::max_entity_growth) {
            source_.fail(at, "",
                         "entities of at most " + std::to_string(Source::max_entity_growth) + " bytes in all",
                         "more");
        }
        return copied_;
    }

    const Source& source_;
    std::string_view text_;
    Entities entities_;
    std::string result_;
    std::size_t copied_ = 0;  // the length of the text copied to the result so far
    std::size_t growth_ = 0;
};

}  // namespace

std::string replace_entities(const Source& source) { return Replacer(source).replace(); }

}  // namespace warpnet::pnml::xml
