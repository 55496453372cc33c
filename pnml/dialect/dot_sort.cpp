// High-level nets whose only sort is `dot` are place/transition nets. A recursive evaluation turns terms of
// multisets into numbers, with a limit on depth and with checked arithmetic. Everything that needs colours is
// rejected and named.
//
// Terms are evaluated to numbers of dots at once, without a tree of their own. A term with any other sort
// fails in check_dot(). Names of the sort are collected at their first use, in one pass over the
// declarations. Recursion is limited to deepest_term levels, because the file decides the depth.

#include "pnml/dialect/dot_sort.hpp"

#include "engine/base/text.hpp"

#include <utility>
#include <vector>

namespace warpnet::pnml::xml {

namespace {

using pugi::xml_node;

constexpr int deepest_term = 100;
constexpr const char* dots_alone = "the sort dot alone (high-level nets with other sorts are not read)";

std::vector<xml_node> elements_of(xml_node parent) {
    std::vector<xml_node> elements;
    for (const xml_node part : parent.children())
        if (part.type() == pugi::node_element) elements.push_back(part);
    return elements;
}

/// "<add>, <empty>"; "nothing" if there are none.
std::string tags_of(const std::vector<xml_node>& elements) {
    std::string text;
    for (const xml_node one : elements) text += (text.empty() ? "" : ", ") + in_tag(one.name());
    return text.empty() ? "nothing" : text;
}

xml_node first_element(xml_node parent) {
    const auto elements = elements_of(parent);
    return elements.empty() ? xml_node() : elements.front();
}

std::string with_declaration(xml_node term) {
    const std::string_view named = term.attribute("declaration").value();
    return in_tag(term.name()) + (named.empty() ? "" : " " + in_quotes(named));
}

}  // namespace

void DotSort::find_names() const {
    names_ = {"dot"};
    std::vector<xml_node> open = {document_.root()};
    while (!open.empty()) {
        const xml_node at = open.back();
        open.pop_back();
        for (const xml_node part : elements_of(at)) {
            const std::string_view name = document_.local_name(part);
            if (name == "net" || name == "page") open.push_back(part);
            if (name == "declaration") find_names(part);
        }
    }
}

void DotSort::find_names(xml_node declaration) const {
    for (const xml_node one : elements_of(first_element(structure(declaration)))) {
        if (document_.local_name(one) != "namedsort") continue;
        const std::string id = one.attribute("id").value();
        names_.erase(id);  // another sort may have the name dot
        for (const xml_node sort : elements_of(one))
            if (document_.local_name(sort) == "dot") names_.insert(id);
    }
}

xml_node DotSort::structure(xml_node label) const {
    xml_node found;
    for (const xml_node part : elements_of(label)) {
        if (document_.local_name(part) != "structure") continue;
        if (found) document_.fail(part, "one <structure>", "another");
        found = part;
    }
    return found;
}

xml_node DotSort::only_part(xml_node element) const {
    const std::vector<xml_node> parts = elements_of(element);
    if (parts.empty()) document_.fail(element, "a term", "nothing");
    if (parts.size() > 1) document_.fail(parts[1], "one term", "another: " + tags_of(parts));
    return parts.front();
}

void DotSort::check_dot(xml_node sort) const {
    const std::string_view name = document_.local_name(sort);
    if (name == "dot" || name == "dotconstant") return;
    if (name == "usersort" || name == "useroperator") {
        if (names_.empty()) find_names();
        if (names_.contains(std::string_view(sort.attribute("declaration").value()))) return;
    }
    document_.fail(sort, dots_alone, with_declaration(sort));
}

void DotSort::check_type(xml_node label) const {
    const xml_node said = structure(label);
    if (said) {
        check_dot(only_part(said));
        return;
    }
    for (const xml_node part : elements_of(label)) {  // pt-hlpng.pntd has <dot/> next to the text
        const std::string_view name = document_.local_name(part);
        if (name == "dot") return;
        if (name != "text" && name != "graphics" && name != "toolspecific") check_dot(part);
    }
    document_.fail(label, dots_alone, "the label <type> without a sort");
}

std::optional<Tokens> DotSort::count(xml_node label, Tokens least) const {
    const xml_node said = structure(label);
    if (!said) {
        for (const xml_node part : elements_of(label))
            if (document_.local_name(part) == "text" && !trimmed(document_.text_of(part)).empty())
                document_.fail(label, "a term in <structure>", "a text alone");
        return std::nullopt;
    }
    if (elements_of(said).empty()) return std::nullopt;
    const Tokens tokens = multiset(only_part(said), 0);
    if (tokens < least) document_.fail(label, "at least " + std::to_string(least) + " dot", "none");
    return tokens;
}

Tokens DotSort::multiset(xml_node term, int depth) const {
    if (depth == deepest_term) document_.fail(term, "a term of at most 100 levels", "a deeper one");
    const std::string_view name = document_.local_name(term);
    if (name == "subterm") return multiset(only_part(term), depth + 1);
    if (name == "numberof" || name == "scalarproduct") return product(term, depth);
    if (name == "empty") return 0;
    if (name == "all") {
        check_dot(only_part(term));
        return 1;
    }
    if (name != "add") {
        check_dot(term);
        return 1;
    }
    Tokens sum = 0;
    for (const xml_node part : elements_of(term))
        if (__builtin_add_overflow(sum, multiset(part, depth + 1), &sum))
            document_.fail(term, "at most " + std::to_string(max_tokens) + " tokens", "more");
    return sum;
}

Tokens DotSort::product(xml_node term, int depth) const {
    const std::vector<xml_node> factors = elements_of(term);
    if (factors.size() != 2) document_.fail(term, "a number and what there is of it", tags_of(factors));
    Tokens result = 0;
    if (__builtin_mul_overflow(number(factors[0]), multiset(factors[1], depth + 1), &result))
        document_.fail(term, "at most " + std::to_string(max_tokens) + " tokens", "more");
    return result;
}

Tokens DotSort::number(xml_node term) const {
    if (document_.local_name(term) == "subterm") term = only_part(term);
    if (document_.local_name(term) != "numberconstant")
        document_.fail(term, "a <numberconstant>", with_declaration(term));
    const std::string_view said = trimmed(term.attribute("value").value());
    const auto value = parse_number<Tokens>(said);
    if (!value || *value < 0)
        document_.fail(term, term.attribute("value"),
                       "a whole number from 0 to " + std::to_string(max_tokens), in_quotes(said));
    return *value;
}

void DotSort::check_condition(xml_node label) const {
    const xml_node said = structure(label);
    if (said && elements_of(said).empty()) return;
    if (said) {
        const xml_node term = only_part(said);
        if (document_.local_name(term) == "booleanconstant" &&
            std::string_view(term.attribute("value").value()) == "true")
            return;
    }
    document_.fail(label, "a place/transition net, where nothing is asked of tokens",
                   "the label " + in_tag(label.name()) + " of a high-level net");
}

}  // namespace warpnet::pnml::xml
