// A parsed document with positions. The parser works in place and keeps offsets of elements and values, from
// which lines and columns follow only for messages. Checks that pugixml lacks are made here: one root, no
// repeated attributes.
//
// Repeated attributes are found by comparing each with all others, which the limit of 64 attributes bounds.
// Errors of elements name at most four enclosing ones, up to the first with an id. Memory: the text, and a
// tree of its nodes, whose names and values point into the text. O(text).

#include "pnml/xml/xml_document.hpp"

#include "engine/base/large_pages.hpp"
#include "engine/base/text.hpp"
#include "engine/input/xml.hpp"
#include "pnml/xml/pnml_error.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <new>
#include <utility>

namespace warpnet::pnml::xml {

namespace {

constexpr unsigned parse_options = pugi::parse_cdata | pugi::parse_escapes | pugi::parse_wconv_attribute |
                                   pugi::parse_eol | pugi::parse_embed_pcdata | pugi::parse_fragment;

}  // namespace

Document::Document(std::string_view bytes, std::string source_name) : source_(bytes, std::move(source_name)) {
    const std::string_view text = source_.text();
    buffer_.reserve(text.size() + 1);
    advise_large_pages(buffer_);
    buffer_.assign(text.begin(), text.end());
    buffer_.push_back('\n');  // the parser overwrites the last character
    const pugi::xml_parse_result result =
        document_.load_buffer_inplace(buffer_.data(), buffer_.size(), parse_options, pugi::encoding_utf8);
    if (result.status == pugi::status_out_of_memory) throw std::bad_alloc();
    if (!result) {
        const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0));
        source_.fail(offset, "", "well-formed XML", xml_fault(result, text));
    }
    for (const pugi::xml_node node : document_.children()) {
        if (is_text(node)) {
            const std::string_view rest = trimmed(node.value());
            source_.fail(static_cast<std::size_t>(rest.data() - buffer_.data()), "",
                         "one XML element and nothing else", in_quotes(rest));
        }
        if (node.type() != pugi::node_element) continue;
        if (root_) fail(node, "one XML element and nothing else", "a second element");
        root_ = node;
    }
    if (!root_) source_.fail(text.size(), "", "the element <pnml>", "no element");
    const std::string_view name = root_.name();
    const std::size_t colon = name.find(':');
    if (colon != std::string_view::npos) prefix_ = name.substr(0, colon + 1);
}

std::string_view Document::local_name(pugi::xml_node node) const {
    if (node.type() != pugi::node_element) return {};
    const char* name = node.name();
    if (!prefix_.empty() && std::string_view(name).starts_with(prefix_)) name += prefix_.size();
    const char* end = name;  // names are short: a loop is faster than two calls
    while (*end != '\0' && *end != ':') ++end;
    return *end == ':' ? std::string_view() : std::string_view(name, static_cast<std::size_t>(end - name));
}

std::string_view Document::text_of(pugi::xml_node element) const {
    // The first piece is stored in the element itself. Further pieces are rare.
    const std::string_view first = element.value();
    std::string* joined = nullptr;
    for (pugi::xml_node child = element.first_child(); child; child = child.next_sibling()) {
        if (!is_text(child)) continue;
        if (joined == nullptr) joined = &joined_.emplace_back(first);
        *joined += child.value();
    }
    return joined != nullptr ? std::string_view(*joined) : first;
}

void Document::check_attributes(pugi::xml_node element) const {
    constexpr std::size_t most = 64;  // limits the quadratic comparison
    std::array<const char*, most> names;
    std::size_t count = 0;
    for (pugi::xml_attribute one = element.first_attribute(); one; one = one.next_attribute()) {
        if (count == most) fail(element, one, "at most " + std::to_string(most) + " attributes", "more");
        const char* const name = one.name();
        for (std::size_t i = 0; i < count; ++i) {
            if (*names[i] == *name && std::strcmp(names[i], name) == 0) {
                fail(element, one, "each attribute once", in_quotes(name) + " twice");
            }
        }
        names[count++] = name;
    }
}

std::size_t Document::offset_of(pugi::xml_node node) const {
    const std::ptrdiff_t offset = node.offset_debug();
    return offset < 1 ? 0 : static_cast<std::size_t>(offset) - 1;  // the name begins after '<'
}

std::string Document::describe(pugi::xml_node node) const {
    constexpr int deepest = 4;
    std::string text;
    for (int depth = 0; depth < deepest && node.type() == pugi::node_element; ++depth, node = node.parent()) {
        if (depth > 0) text += " in ";
        const std::string_view id = node.attribute("id").value();
        text += in_tag(node.name());
        if (id.empty()) continue;
        text.back() = ' ';
        return text.append("id=").append(in_quotes(id)).append(">");
    }
    return text;
}

void Document::fail(pugi::xml_node at, const std::string& expected, const std::string& found) const {
    source_.fail(offset_of(at), describe(at), expected, found);
}

std::string Document::where(pugi::xml_node at) const {
    try {
        fail(at, "", "");
    } catch (const PnmlError& error) {
        const PnmlLocation& place = error.location();
        return place.source + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": " +
               place.element;
    }
}

std::string Document::message(pugi::xml_node at, const std::string& expected,
                              const std::string& found) const {
    try {
        fail(at, expected, found);
    } catch (const PnmlError& error) {
        return error.what();
    }
}

void Document::fail(pugi::xml_node at, pugi::xml_attribute attribute, const std::string& expected,
                    const std::string& found) const {
    const char* const value = attribute.value();
    const bool inside =
        std::less_equal<>()(buffer_.data(), value) && std::less<>()(value, buffer_.data() + buffer_.size());
    const std::size_t offset = inside ? static_cast<std::size_t>(value - buffer_.data()) : offset_of(at);
    source_.fail(offset, describe(at), expected, found);
}

}  // namespace warpnet::pnml::xml
