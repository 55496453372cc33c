// Facts that PNML cannot express, in a tool-specific part of our own: ids and names that other tools could
// not read, immediate transitions, priorities, and the pairs of arcs that are read arcs. The part refers to
// nodes by their ids in the file. It is checked against them, since other programs change files.
//
// The loops of a file are checked against their arcs. Both weights must be those that warpnet writes. If
// another program has changed an arc, the read arc in the exact part is out of date, and either one may be
// meant. That is an error and no choice of one of them. Loops are a sorted list with a binary search, O(arcs
// log loops).

#include "pnml/dialect/exact.hpp"

#include "engine/base/text.hpp"
#include "pnml/dialect/labels.hpp"
#include "pnml/xml/xml_writer.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace warpnet::pnml::exact {

namespace {

std::optional<unsigned> hex_digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
    return std::nullopt;
}

}  // namespace

std::string encode(std::string_view bytes) {
    std::string text;
    const auto escape = [&text](char byte) {
        const char* const digits = "0123456789ABCDEF";
        const auto value = static_cast<unsigned char>(byte);
        text += {'%', digits[value / 16], digits[value % 16]};
    };
    xml::for_each_character(
        bytes,
        [&](std::string_view kept) {
            const auto first = static_cast<unsigned char>(kept[0]);
            if (kept == "%" || first < 0x20) {
                escape(kept[0]);
            } else {
                text += kept;
            }
        },
        escape);
    return text;
}

std::optional<std::string> decode(std::string_view text) {
    std::string bytes;
    bytes.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            bytes += text[i];
            continue;
        }
        if (i + 2 >= text.size()) return std::nullopt;
        const auto high = hex_digit(text[i + 1]);
        const auto low = hex_digit(text[i + 2]);
        if (!high || !low) return std::nullopt;
        bytes += static_cast<char>(static_cast<unsigned char>(*high * 16 + *low));
        i += 2;
    }
    return bytes;
}

}  // namespace warpnet::pnml::exact

namespace warpnet::pnml::xml {

namespace {

class ExactReader {
  public:
    explicit ExactReader(const Document& document) : document_(document) {}

    void read_part(pugi::xml_node toolspecific) {
        for (const pugi::xml_attribute attribute : toolspecific.attributes()) {
            const std::string_view name = attribute.name();
            if (name != "tool" && name != "version" && !name.starts_with("xmlns"))
                fail_unknown(toolspecific, attribute);
        }
        check_no_text(toolspecific);
        for (const pugi::xml_node element : Elements(toolspecific)) {
            document_.check_attributes(element);
            check_no_text(element);
            for (const pugi::xml_node inner : Elements(element))
                document_.fail(element, "attributes only", in_tag(inner.name()));
            const std::string_view name = document_.local_name(element);
            if (name == "about") {
                read_about(element);
            } else if (name == "node") {
                read_node(element);
            } else if (name == "loop") {
                read_loop(element);
            } else {
                document_.fail(element, "<about>, <node> or <loop>", in_tag(element.name()));
            }
        }
    }

    ExactPart result;

  private:
    void check_no_text(pugi::xml_node element) const {
        const std::string_view text = trimmed(document_.text_of(element));
        if (!text.empty()) document_.fail(element, "no text", in_quotes(text));
    }

    void read_about(pugi::xml_node element) {
        for (const pugi::xml_attribute attribute : element.attributes()) {
            const std::string_view name = attribute.name();
            if (name == "originalId") {
                result.net_id = text(element, attribute);
            } else if (name == "name") {
                result.net_name = text(element, attribute);
            } else if (name == "timing") {
                result.timing_here = is(element, attribute, "here");
            } else if (name == "positions") {
                result.without_positions = is(element, attribute, "none");
            } else {
                fail_unknown(element, attribute);
            }
        }
    }

    void read_node(pugi::xml_node element) {
        ExactPart::Node& node = result.nodes.emplace_back();
        node.element = element;
        for (const pugi::xml_attribute attribute : element.attributes()) {
            const std::string_view name = attribute.name();
            if (name == "ref") {
                node.ref = attribute.value();
            } else if (name == "originalId") {
                node.id = text(element, attribute);
            } else if (name == "name") {
                node.name = text(element, attribute);
            } else if (name == "immediate") {
                node.immediate = is(element, attribute, "true");
            } else if (name == "priority") {
                node.priority = number<std::int32_t>(element, attribute);
            } else if (name == "position") {
                node.without_position = is(element, attribute, "none");
            } else {
                fail_unknown(element, attribute);
            }
        }
    }

    void read_loop(pugi::xml_node element) {
        ExactPart::Loop& loop = result.loops.emplace_back();
        loop.element = element;
        for (const pugi::xml_attribute attribute : element.attributes()) {
            const std::string_view name = attribute.name();
            if (name == "place") {
                loop.place = attribute.value();
            } else if (name == "transition") {
                loop.transition = attribute.value();
            } else if (name == "read") {
                loop.read = weight(element, attribute);
            } else if (name == "input") {
                loop.input = weight(element, attribute);
            } else if (name == "output") {
                loop.output = weight(element, attribute);
            } else {
                fail_unknown(element, attribute);
            }
        }
        if (loop.read == 0) document_.fail(element, "the attribute read", "none");
    }

    std::string text(pugi::xml_node element, pugi::xml_attribute attribute) const {
        auto decoded = exact::decode(attribute.value());
        if (!decoded) {
            document_.fail(element, attribute, "text where % begins two hexadecimal digits",
                           in_quotes(attribute.value()));
        }
        return std::move(*decoded);
    }

    template <class Integer>
    Integer number(pugi::xml_node element, pugi::xml_attribute attribute) const {
        const auto value = whole_number<Integer>(attribute.value());
        if (!value) document_.fail(element, attribute, "a whole number", in_quotes(attribute.value()));
        return *value;
    }

    Tokens weight(pugi::xml_node element, pugi::xml_attribute attribute) const {
        const auto value = number<Tokens>(element, attribute);
        if (value < 1)
            document_.fail(element, attribute, "a weight of 1 or more", in_quotes(attribute.value()));
        return value;
    }

    bool is(pugi::xml_node element, pugi::xml_attribute attribute, const std::string& only) const {
        if (attribute.value() != only)
            document_.fail(element, attribute, in_quotes(only), in_quotes(attribute.value()));
        return true;
    }

    [[noreturn]] void fail_unknown(pugi::xml_node element, pugi::xml_attribute attribute) const {
        document_.fail(element, attribute, "an attribute that version 1 has", in_quotes(attribute.name()));
    }

    const Document& document_;
};

/// Whether warpnet wrote a tool-specific part. A whole number above the current version denotes an unknown
/// format; warpnet never wrote any further versions.
bool is_ours(const Document& document, pugi::xml_node toolspecific) {
    if (toolspecific.attribute("tool").value() != exact::tool) return false;
    const pugi::xml_attribute version = toolspecific.attribute("version");
    const auto number = whole_number<Tokens>(version.value());
    if (number && *number > *whole_number<Tokens>(exact::version)) {
        document.fail(toolspecific, version, "version " + std::string(exact::version) + " of this format",
                      in_quotes(version.value()));
    }
    return version.value() == exact::version;
}

}  // namespace

ExactPart read_exact_part(const Document& document, pugi::xml_node net) {
    ExactReader reader(document);
    for (const pugi::xml_node part : Elements(net)) {
        if (document.local_name(part) == "toolspecific" && is_ours(document, part)) reader.read_part(part);
    }
    return std::move(reader.result);
}

bool FileLoops::before(const Loop& a, const Loop& b) {
    return std::pair(a.transition, a.place) < std::pair(b.transition, b.place);
}

void FileLoops::expect(PlaceId place, TransitionId transition, const ExactPart::Loop& exact) {
    loops_.push_back({place, transition, &exact});
}

void FileLoops::finish(const Document& document) {
    std::sort(loops_.begin(), loops_.end(), before);
    const auto twice = std::adjacent_find(loops_.begin(), loops_.end(),
                                          [](const Loop& a, const Loop& b) { return !before(a, b); });
    if (twice != loops_.end()) {
        document.fail((twice + 1)->exact->element, "each pair of nodes once", "the same pair again");
    }
}

bool FileLoops::take(const Document& document, pugi::xml_node arc, PlaceId place, TransitionId transition,
                     bool out_of_place, Tokens weight) {
    const Loop wanted{place, transition, nullptr};
    const auto loop = std::lower_bound(loops_.begin(), loops_.end(), wanted, before);
    if (loop == loops_.end() || before(wanted, *loop)) return false;
    Tokens& sum = out_of_place ? loop->input : loop->output;
    if (sum > max_tokens - weight) {
        document.fail(arc, "weights that add up to at most " + std::to_string(max_tokens), "more");
    }
    sum += weight;
    return true;
}

void FileLoops::add_to(NetBuilder& builder, const Document& document) const {
    for (const Loop& loop : loops_) {
        const ExactPart::Loop& exact = *loop.exact;
        const LoopWeights weights = loop_weights(exact.read, exact.input, exact.output);
        if (loop.input != weights.input || loop.output != weights.output) {
            document.fail(exact.element,
                          "arcs of weight " + std::to_string(weights.input) + " to the transition and " +
                              std::to_string(weights.output) + " back",
                          std::to_string(loop.input) + " and " + std::to_string(loop.output) +
                              " (the net was changed by another tool)");
        }
        builder.add_read(loop.place, loop.transition, exact.read);
        if (exact.input > 0) builder.add_input(loop.place, loop.transition, exact.input);
        if (exact.output > 0) builder.add_output(loop.transition, loop.place, exact.output);
    }
}

}  // namespace warpnet::pnml::xml
