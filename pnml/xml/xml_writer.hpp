#pragma once

#include "engine/net/net.hpp"
#include "pnml/xml/xml_source.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::pnml::xml {

/// The nearest text that XML allows: each byte of a forbidden character becomes U+FFFD.
std::string legible(std::string_view bytes);

/// Whether XML allows all characters of the text.
bool is_legible(std::string_view bytes);

/// Calls `keep(part)` for the characters that XML allows and `change(byte)` for every other byte.
template <class Keep, class Change>
void for_each_character(std::string_view bytes, Keep keep, Change change) {
    while (!bytes.empty()) {
        const Utf8Char c = first_utf8_char(bytes);
        const std::size_t length = c.length == 0 ? 1 : c.length;
        if (c.length > 0 && is_xml_char(c.code)) {
            keep(bytes.substr(0, length));
        } else {
            for (const char byte : bytes.substr(0, length)) change(byte);
        }
        bytes.remove_prefix(length);
    }
}

/// Ids for a document: letters, digits and '_' only, unique over all its elements. Ids that are valid stay
/// unchanged. The result depends on the net alone.
class Ids {
  public:
    /// Keeps a reference to the net.
    explicit Ids(const Net& net);

    const std::string& of(PlaceId place) const { return of(index(place), net_[place].id); }
    const std::string& of(TransitionId transition) const {
        return of(net_.places().size() + index(transition), net_[transition].id);
    }

    const std::string& net() const { return net_id_; }
    const std::string& page() const { return page_; }
    const std::string& arc_prefix() const { return arc_prefix_; }  ///< followed by the arc's number

  private:
    const std::string& of(std::size_t node, const std::string& own) const {
        return changed_.empty() || changed_[node].empty() ? own : changed_[node];
    }

    const Net& net_;
    std::vector<std::string> changed_;  // by places, then transitions; empty: the original id is used
    std::string net_id_;
    std::string page_;
    std::string arc_prefix_;
};

/// Collects the text of a document. Text appended with << must be markup or need no escaping.
class TextBuffer {
  public:
    TextBuffer& operator<<(std::string_view text) {
        text_ += text;
        return *this;
    }
    TextBuffer& operator<<(Tokens number);
    /// In decimal notation without an exponent, with the fewest digits that determine this number.
    TextBuffer& operator<<(double number);

    /// Appends text as content of an element or attribute. Characters that XML forbids become U+FFFD.
    void content(std::string_view text);

    void reserve(std::size_t bytes) { text_.reserve(bytes); }
    std::string text() && { return std::move(text_); }

  private:
    std::string text_;
};

}  // namespace warpnet::pnml::xml
