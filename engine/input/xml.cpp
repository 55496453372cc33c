// Parses XML with pugixml and records which attributes, elements and texts a reader has accessed. The parser
// works in place, so the address of a name is its offset in the text, and positions follow from it. finish()
// walks the document without recursion, since the file determines its nesting depth. It skips the content of
// unread elements, which are reported as a whole.

#include "engine/input/xml.hpp"

#include "engine/base/text.hpp"
#include "engine/input/file_format.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <new>
#include <utility>

namespace warpnet {

namespace {

constexpr unsigned parse_options = pugi::parse_default | pugi::parse_doctype;

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

/// The text that identifies an element in messages.
std::string_view name_or_id(pugi::xml_node node) {
    const char* const name = node.attribute("name").value();
    return *name != '\0' ? name : node.attribute("id").value();
}

/// An element with its parents, up to the first one with a name.
std::string described(pugi::xml_node node) {
    constexpr int most = 5;
    std::string text;
    for (int depth = 0; depth < most && node.type() == pugi::node_element; ++depth, node = node.parent()) {
        text += (depth > 0 ? " in <" : "<") + std::string(node.name()) + ">";
        const std::string_view name = name_or_id(node);
        if (!name.empty()) return text + " '" + std::string(name) + "'";
    }
    return text;
}

/// The names from the child of the root to the node.
std::string path_to(pugi::xml_node node) {
    std::vector<std::string_view> names;
    for (; node.parent().type() == pugi::node_element; node = node.parent()) names.emplace_back(node.name());
    std::string path;
    for (auto name = names.rbegin(); name != names.rend(); ++name)
        path.append(path.empty() ? "" : "/").append(*name);
    return path;
}

std::string joined(const std::string& path, std::string_view name) {
    return path + (path.empty() ? "" : "/") + std::string(name);
}

/// The next node of the document, after the content of this one if `skip` is set.
pugi::xml_node next_node(pugi::xml_node node, bool skip) {
    if (!skip && node.first_child()) return node.first_child();
    while (node && !node.next_sibling()) node = node.parent();
    return node.next_sibling();
}

}  // namespace

std::string xml_fault(const pugi::xml_parse_result& result, std::string_view text) {
    if (std::string other = other_text(text, "<"); !other.empty()) return other;
    const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0));
    const std::string_view rest = text.substr(std::min(offset, text.size()));
    if (trimmed(rest).empty() || !trimmed(text).ends_with('>'))
        return "an element without an end; the file may be cut off";
    constexpr std::size_t shown = 30;
    return std::string(result.description()) + ": '" + std::string(rest.substr(0, shown)) + "'";
}

XmlDocument::XmlDocument(std::string_view text, std::string source)
    : source_(std::move(source)), buffer_(text.begin(), text.end()), line_starts_{0} {
    buffer_.push_back('\n');  // the parser overwrites the last character
    for (std::size_t i = 0; i < buffer_.size(); ++i)
        if (buffer_[i] == '\n') line_starts_.push_back(i + 1);
    const pugi::xml_parse_result result =
        document_.load_buffer_inplace(buffer_.data(), buffer_.size(), parse_options);
    if (result.status == pugi::status_out_of_memory) throw std::bad_alloc();
    if (!result)
        throw InputError(where({}, buffer_.data() + std::clamp<std::ptrdiff_t>(result.offset, 0,
                                                                               std::ssize(buffer_) - 1)) +
                         ": expected well-formed XML, found " + xml_fault(result, text));
    root_ = document_.document_element();
    read_.insert(root_.internal_object());
}

std::string XmlDocument::where(pugi::xml_node node, const char* inside) const {
    std::string result = source_;
    const char* const name = node.type() == pugi::node_element ? node.name() : node.value();
    // Text outside the buffer exists only if the parser had to convert it from another encoding.
    for (const char* const at : {inside, name}) {
        if (at == nullptr || std::less<>()(at, buffer_.data()) ||
            std::less<>()(buffer_.data() + buffer_.size(), at))
            continue;
        const auto offset = static_cast<std::size_t>(at - buffer_.data());
        const auto line = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
        result += ":" + std::to_string(line - line_starts_.begin());
        break;
    }
    return node.type() == pugi::node_element ? result + ": " + described(node) : result;
}

void XmlDocument::finish(std::span<const IgnoredPart> ignored, std::vector<std::string>* warnings) const {
    std::vector<UnreadPart> unread;
    for (pugi::xml_node node = document_.first_child(); node;) {
        const bool read = read_.contains(node.internal_object());
        const pugi::xml_node parent = node.parent();
        if (node.type() == pugi::node_doctype) {
            unread.push_back(
                {"document type declaration", "!DOCTYPE", [this, node] { return where(node, nullptr); }});
        } else if (is_text(node) && !read && !is_blank(node.value())) {
            unread.push_back({"text '" + std::string(node.value()).substr(0, 40) + "'",
                              joined(path_to(parent), "#text"),
                              [this, node, parent] { return where(parent, node.value()); }});
        } else if (node.type() == pugi::node_element && !read) {
            unread.push_back({"element <" + std::string(node.name()) + ">", path_to(node),
                              [this, node, parent] { return where(parent, node.name()); }});
        } else if (node.type() == pugi::node_element) {
            for (const pugi::xml_attribute attribute : node.attributes()) {
                const std::string_view name = attribute.name();
                if (read_.contains(attribute.internal_object()) || name == "xmlns" ||
                    name.starts_with("xmlns:"))
                    continue;
                unread.push_back({"attribute '" + std::string(name) + "'",
                                  joined(path_to(node), "@" + std::string(name)),
                                  [this, node, attribute] { return where(node, attribute.name()); }});
            }
        }
        node = next_node(node, !read);
    }
    judge_unread(unread, ignored, notes_, warnings);
}

std::string XmlElement::where() const { return document_->where(node_, nullptr); }

std::optional<std::string_view> XmlElement::attribute(const char* name) const {
    const pugi::xml_attribute found = node_.attribute(name);
    if (!found) return std::nullopt;
    document_->read_.insert(found.internal_object());
    return found.value();
}

std::string_view XmlElement::attribute_or(const char* name, std::string_view otherwise) const {
    return attribute(name).value_or(otherwise);
}

std::string_view XmlElement::text() const {
    const pugi::xml_node text = node_.text().data();
    if (text) document_->read_.insert(text.internal_object());
    return text.value();
}

XmlElement XmlElement::child(const char* name) const {
    const pugi::xml_node found = node_.child(name);
    if (!found) return {};
    document_->read_.insert(found.internal_object());
    return {*document_, found};
}

std::vector<XmlElement> XmlElement::children(const char* name) const {
    std::vector<XmlElement> result;
    for (const pugi::xml_node found : node_.children(name)) {
        document_->read_.insert(found.internal_object());
        result.push_back({*document_, found});
    }
    return result;
}

std::vector<XmlElement> XmlElement::children() const {
    std::vector<XmlElement> result;
    for (const pugi::xml_node found : node_.children()) {
        if (found.type() != pugi::node_element) continue;
        document_->read_.insert(found.internal_object());
        result.push_back({*document_, found});
    }
    return result;
}

std::vector<XmlElement> XmlElement::peek(const char* name) const {
    std::vector<XmlElement> result;
    for (const pugi::xml_node found : node_.children())
        if (found.type() == pugi::node_element && (name == nullptr || std::strcmp(found.name(), name) == 0))
            result.push_back({*document_, found});
    return result;
}

void XmlElement::read() const {
    document_->read_.insert(node_.internal_object());
    attribute("name");
}

XmlElement XmlElement::parent() const { return {*document_, node_.parent()}; }

void XmlElement::read_all() const {
    const pugi::xml_node end = next_node(node_, true);
    for (pugi::xml_node node = node_; node && node != end; node = next_node(node, false)) {
        document_->read_.insert(node.internal_object());
        for (const pugi::xml_attribute attribute : node.attributes())
            document_->read_.insert(attribute.internal_object());
    }
}

void XmlElement::note(std::string what, std::string consequence) const {
    if (!document_->noted_.emplace(node_.internal_object(), what).second) return;
    document_->notes_.push_back(
        {std::move(what), std::move(consequence),
         [document = document_, node = node_] { return document->where(node, nullptr); }});
}

void XmlElement::fail(std::string_view expected, std::string_view found) const {
    throw InputError(where() + ": expected " + std::string(expected) + ", found " + std::string(found));
}

}  // namespace warpnet
