// Text and ids for XML. Ids become portable, which means letters, digits and underscores, and stay unique.
// Numbers are written without a locale. One string grows, and plain text is appended as it is.
//
// Valid ids are assigned first. So a changed id never takes the id of another node, and the ids of a net that
// another tool wrote stay the same. Ids for the page and for arcs avoid all others in the document, because
// ids are unique across kinds. The expected time is O(net). Each further try of a name for the page or a
// prefix for arcs searches all ids again.

#include "pnml/xml/xml_writer.hpp"

#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <unordered_set>

namespace warpnet::pnml::xml {

std::string legible(std::string_view bytes) {
    std::string text;
    for_each_character(
        bytes, [&](std::string_view kept) { text += kept; }, [&](char) { text += "\xEF\xBF\xBD"; });
    return text;
}

bool is_legible(std::string_view bytes) {
    bool all = true;
    for_each_character(
        bytes, [](std::string_view) {}, [&all](char) { all = false; });
    return all;
}

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool is_portable(std::string_view id) {
    return !id.empty() && is_letter(id[0]) &&
           std::all_of(id.begin(), id.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

/// The nearest portable id: other characters become '_'.
std::string portable(std::string_view id) {
    std::string result;
    if (id.empty() || !is_letter(id[0])) result += '_';
    for (const char c : id) result += is_letter(c) || is_digit(c) ? c : '_';
    return result;
}

/// Calls `visit(id)` for every node until it returns true. Returns whether it did.
template <class Visit>
bool any_id(const Net& net, Visit visit) {
    const auto visit_node = [&](const auto& node) { return visit(node.id); };
    return std::any_of(net.places().begin(), net.places().end(), visit_node) ||
           std::any_of(net.transitions().begin(), net.transitions().end(), visit_node);
}

}  // namespace

Ids::Ids(const Net& net) : net_(net) {
    const std::string wanted = net.id().empty()        ? "net"
                               : is_portable(net.id()) ? net.id()
                                                       : portable(net.id());
    const bool portable_nodes = !any_id(net, [](const std::string& id) { return !is_portable(id); });
    if (portable_nodes && !any_id(net, [&](const std::string& id) { return id == wanted; })) {
        net_id_ = wanted;
    } else {
        // Valid ids are assigned first, so that a changed id never forces another change.
        std::unordered_set<std::string> taken;
        any_id(net, [&](const std::string& id) {
            if (is_portable(id)) taken.insert(id);
            return false;
        });
        const auto claim = [&taken](const std::string& base) {
            std::string id = base;
            for (std::size_t i = 2; !taken.insert(id).second; ++i) id = base + "_" + std::to_string(i);
            return id;
        };
        if (!portable_nodes) {
            any_id(net, [&](const std::string& id) {
                changed_.push_back(is_portable(id) ? std::string() : claim(portable(id)));
                return false;
            });
        }
        net_id_ = claim(wanted);
    }

    const auto any_taken = [&](auto is_taken) {
        return is_taken(net_id_) || any_id(net, is_taken) ||
               std::any_of(changed_.begin(), changed_.end(), is_taken);
    };
    page_ = "page";
    while (any_taken([&](const std::string& id) { return id == page_; })) page_ += '_';
    arc_prefix_ = "a";
    const auto looks_like_arc = [&](const std::string& id) {
        return id.size() > arc_prefix_.size() && id.starts_with(arc_prefix_) &&
               std::all_of(id.begin() + static_cast<std::ptrdiff_t>(arc_prefix_.size()), id.end(), is_digit);
    };
    while (any_taken(looks_like_arc)) arc_prefix_ += '_';
}

namespace {

bool is_plain(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x7F && c != '&' && c != '<' && c != '>' && c != '"';
}

}  // namespace

TextBuffer& TextBuffer::operator<<(Tokens number) {
    std::array<char, 24> digits{};
    const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    text_.append(digits.data(), result.ptr);
    return *this;
}

TextBuffer& TextBuffer::operator<<(double number) {
    std::array<char, 1100> digits{};  // 5e-324 has 1,076 characters
    const auto result =
        std::to_chars(digits.data(), digits.data() + digits.size(), number, std::chars_format::fixed);
    text_.append(digits.data(), result.ptr);
    return *this;
}

void TextBuffer::content(std::string_view text) {
    if (std::all_of(text.begin(), text.end(), is_plain)) {
        text_ += text;
        return;
    }
    for (const char c : xml::legible(text)) {
        switch (c) {
            case '&':
                text_ += "&amp;";
                break;
            case '<':
                text_ += "&lt;";
                break;
            case '>':
                text_ += "&gt;";
                break;
            case '"':
                text_ += "&quot;";
                break;
            case '\r':
                text_ += "&#13;";
                break;
            default:
                text_ += c;
        }
    }
}

}  // namespace warpnet::pnml::xml
