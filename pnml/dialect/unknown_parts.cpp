// This table lists the parts that the readers understand, and those known to have no effect. It is one table
// for all dialects, since a label has the same meaning in the documents of all tools. One pass over a net
// compares it with the table. This pass takes little time compared with parsing.
//
// An unknown part of an arc is an error, and one of a node a warning, unless its name means something that
// changes the net. Arcs get no warnings, because a reset or transport arc that is read as an ordinary one
// gives wrong answers. Equal warnings are grouped and counted, since a tool writes its label at every node.
// Time is O(elements x names of an element), the memory that of the groups.

#include "pnml/dialect/unknown_parts.hpp"

#include "engine/base/text.hpp"
#include "pnml/dialect/labels.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

namespace warpnet::pnml::xml {

namespace {

using pugi::xml_node;

using Names = std::array<std::string_view, 20>;  // the rest is empty

/// An element that may have only these attributes and children.
struct KnownElement {
    std::string_view name;
    Names attributes = {};
    Names children = {};
    bool has_text = false;
    bool is_free = false;  ///< its content has no effect
};

constexpr Names container_parts = {
    "place",          "transition",          "arc",      "page",   "name",  "toolspecific",
    "referencePlace", "referenceTransition", "graphics", "labels", "token", "declaration",
    "finalmarkings"};
constexpr Names page_parts = {"place",
                              "transition",
                              "arc",
                              "page",
                              "name",
                              "toolspecific",
                              "referencePlace",
                              "referenceTransition",
                              "graphics",
                              "labels",
                              "token",
                              "declaration",
                              "finalmarkings",
                              "net"};
constexpr Names text_parts = {"text", "graphics", "value", "toolspecific"};
constexpr Names term_parts = {"text", "graphics", "value", "toolspecific", "structure"};
constexpr Names term_attributes = {"declaration", "value", "id", "name", "refvariable"};
constexpr Names terms = {"subterm",      "numberof",        "scalarproduct", "numberconstant", "positive",
                         "natural",      "integer",         "dot",           "dotconstant",    "add",
                         "all",          "empty",           "usersort",      "useroperator",   "bool",
                         "declarations", "booleanconstant", "namedsort"};
constexpr Names place_parts = {"name",     "initialMarking", "graphics",         "toolspecific",
                               "capacity", "invariant",      "hlinitialMarking", "type"};
constexpr Names no_names = {};

constexpr KnownElement known_elements[] = {
    {"text", no_names, no_names, true},
    {"arc",
     {"id", "source", "target", "type", "weight", "inscription", "nameOffsetX", "nameOffsetY"},
     {"inscription", "graphics", "type", "toolspecific", "arctype", "name", "hlinscription", "arcpath",
      "tagged"}},
    {"place",
     {"id", "name", "initialMarking", "invariant", "positionX", "positionY", "displayName", "nameOffsetX",
      "nameOffsetY"},
     place_parts},
    {"transition",
     {"id", "name", "urgent", "positionX", "positionY", "displayName", "nameOffsetX", "nameOffsetY", "angle",
      "infiniteServer"},
     {"name", "graphics", "toolspecific", "timed", "priority", "delay", "condition", "rate", "infiniteServer",
      "orientation"}},
    {"graphics", no_names, no_names, true, true},
    {"toolspecific", no_names, no_names, true, true},
    {"name", no_names, text_parts, true},
    {"initialMarking", no_names, text_parts, true},
    {"inscription", no_names, text_parts, true},
    {"value", no_names, no_names, true},
    {"type", {"value"}, {"text", "structure", "graphics", "toolspecific", "value", "dot", "usersort"}, true},
    {"arctype", {"value"}, text_parts, true},
    {"page", {"id", "name"}, page_parts},
    {"net", {"id", "type", "name", "active"}, container_parts},
    {"referencePlace", {"id", "ref"}, {"name", "graphics", "toolspecific"}},
    {"referenceTransition", {"id", "ref"}, {"name", "graphics", "toolspecific"}},
    {"timed", no_names, text_parts, true},
    {"priority", no_names, text_parts, true},
    {"capacity", no_names, text_parts, true},
    {"invariant", no_names, text_parts, true},
    {"rate", no_names, text_parts, true},
    {"infiniteServer", no_names, text_parts, true},
    {"orientation", no_names, text_parts, true},
    {"tagged", no_names, text_parts, true},
    {"delay", no_names, {"interval", "text", "value", "graphics", "toolspecific"}, true},
    {"interval", {"closure"}, {"cn", "ci"}},
    {"cn", no_names, no_names, true},
    {"ci", no_names, no_names, true},
    {"hlinitialMarking", no_names, term_parts},
    {"hlinscription", no_names, term_parts},
    {"condition", no_names, term_parts},
    {"declaration", no_names, term_parts},
    {"structure", no_names, terms},
    {"declarations",
     no_names,
     {"namedsort", "variabledecl", "namedoperator", "partition", "arbitrarysort", "arbitraryoperator"}},
    // Variables, sorts and operators that no marking or arc uses. A use is rejected at its position.
    {"variabledecl", no_names, no_names, true, true},
    {"namedoperator", no_names, no_names, true, true},
    {"partition", no_names, no_names, true, true},
    {"arbitrarysort", no_names, no_names, true, true},
    {"arbitraryoperator", no_names, no_names, true, true},
    {"namedsort",
     {"id", "name"},
     {"dot", "bool", "integer", "natural", "positive", "usersort", "cyclicenumeration", "finiteenumeration",
      "finiteintrange", "productsort", "multisetsort", "string", "list"}},
    {"cyclicenumeration", no_names, no_names, true, true},
    {"finiteenumeration", no_names, no_names, true, true},
    {"finiteintrange", no_names, no_names, true, true},
    {"productsort", no_names, no_names, true, true},
    {"multisetsort", no_names, no_names, true, true},
    // The picture of an arc, the colours of PIPE's tokens, notes, and goals of process mining.
    {"arcpath", no_names, no_names, true, true},
    {"token", no_names, no_names, true, true},
    {"labels", no_names, no_names, true, true},
    {"finalmarkings", no_names, no_names, true, true},
    // The elements around the nets of TAPAAL. TAPAAL's queries are no part of the nets.
    {"pnml",
     no_names,
     {"net", "shared-place", "shared-transition", "declaration", "k-bound", "query", "queries", "feature",
      "constant"}},
    {"shared-place", {"name", "initialMarking", "invariant", "positionX", "positionY"}, place_parts},
    {"shared-transition", {"name", "urgent"}, no_names},
    {"k-bound", no_names, no_names, true, true},
    {"query", no_names, no_names, true, true},
    {"queries", no_names, no_names, true, true},
    {"constant", no_names, no_names, true, true},
    {"feature", {"isGame", "isTimed", "isColored", "isStochastic"}, no_names},
};

/// The <type> of a place. That of an arc is in the table.
constexpr KnownElement sort_of_place = {
    "sort", no_names, {"text", "structure", "graphics", "toolspecific", "value", "dot", "usersort"}};

constexpr KnownElement term = {"term", term_attributes, terms};

bool is_one_of(std::string_view name, const Names& names) {
    for (const std::string_view one : names) {
        if (one.empty()) return false;
        if (one == name) return true;
    }
    return false;
}

const KnownElement& known(std::string_view name, const KnownElement* in = nullptr) {
    if (name == "type" && in != nullptr && in->name != "arc") return sort_of_place;
    for (const KnownElement& element : known_elements)
        if (element.name == name) return element;
    return term;
}

/// Attributes defined by XML itself and its schemas.
bool is_of_xml(std::string_view attribute) {
    return attribute == "xmlns" || attribute.starts_with("xmlns:") || attribute.starts_with("xml:") ||
           attribute.starts_with("xsi:");
}

/// The meaning of a part of a node in other tools, by its name in lower case, and the values without effect.
struct Meaning {
    std::string_view expected;
    Names names;
    Names neutral;
};

constexpr Meaning meanings[] = {
    {"a place/transition net, which has no guards", {"guard", "condition"}, {"true"}},
    {"a place without capacity (a complement place says the same)",
     {"capacity", "maxcapacity", "maxtokens"},
     {"0", "-1", "inf", "infinity"}},
    {"a transition without a time",
     {"delay", "time", "timing", "interval", "duration", "firingtime", "staticinterval", "eft", "lft"},
     {"0"}},
    {"a net without players", {"player"}, {"0"}},
    {"a priority in the label <priority>", {"priority"}, {"0"}},
    {"tokens in the label <initialMarking>",
     {"marking", "tokens", "initial", "initialtokens", "initialmarking", "m0"},
     {"0"}},
};

/// A question that suggests the label closest to an unknown one; empty if none is close.
std::string question(std::string_view name) {
    static constexpr std::string_view labels[] = {"initialMarking", "capacity", "invariant", "timed",
                                                  "priority"};
    if (name.size() > 32) return "";
    for (const std::string_view meant : labels) {
        const std::size_t letters = edit_distance(lower_case(name), lower_case(meant));
        if (letters <= (meant.size() > 8 ? 2U : 1U)) return "; did you mean " + in_tag(meant) + "?";
    }
    return "";
}

class PartChecker {
  public:
    PartChecker(const Document& document, std::vector<std::string>* warnings)
        : document_(document), warnings_(warnings) {}

    /// Without recursion, because the file determines the nesting depth of pages.
    void check(xml_node top) {
        std::vector<const KnownElement*> open = {&known(document_.local_name(top))};
        check_start(top, *open.front());
        xml_node at = top.first_child();
        xml_node parent = top;
        while (at || parent != top) {
            if (!at) {
                if (parent == arc_) arc_ = xml_node();
                at = parent.next_sibling();
                parent = parent.parent();
                open.pop_back();
                continue;
            }
            const KnownElement* const element = check_child(at, parent, *open.back());
            if (element != nullptr && at.first_child()) {
                open.push_back(element);
                parent = at;
                at = at.first_child();
            } else {
                if (at == arc_) arc_ = xml_node();
                at = at.next_sibling();
            }
        }
    }

    void warn() const {
        if (warnings_ == nullptr) return;
        std::vector<const Group*> in_order;
        for (const auto& entry : groups_) in_order.push_back(&entry.second);
        std::sort(in_order.begin(), in_order.end(),
                  [](const Group* a, const Group* b) { return a->number < b->number; });
        for (const Group* group : in_order) {
            const std::string times =
                group->count == 1 ? "" : " (" + std::to_string(group->count) + " times)";
            warnings_->push_back(document_.where(group->first) + ": " + group->construct + " is ignored" +
                                 times + ": the answers are those of the net without it" + group->question);
        }
    }

  private:
    struct Group {
        std::string construct, question;
        xml_node first;
        std::size_t number, count;
    };

    /// The known content of a child. Null if it need not be checked.
    const KnownElement* check_child(xml_node child, xml_node parent, const KnownElement& in) {
        if (child.type() != pugi::node_element) {
            if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata)
                check_text(child.value(), parent, in);
            return nullptr;
        }
        const std::string_view name = document_.local_name(child);
        const bool is_container = in.name == "net" || in.name == "page";
        if (is_container && is_arc(child, name)) arc_ = child;
        if (child != arc_ && (name.empty() || !is_one_of(name, in.children))) {
            unknown(parent, in, child.name(), "element " + in_tag(child.name()), value_of(child));
            return nullptr;
        }
        const KnownElement& element = child == arc_ ? known("arc") : known(name, &in);
        // Nets are checked individually.
        if (element.is_free || (in.name == "pnml" && name == "net")) return nullptr;
        check_start(child, element);
        return &element;
    }

    void check_start(xml_node node, const KnownElement& element) {
        for (pugi::xml_attribute one = node.first_attribute(); one; one = one.next_attribute()) {
            const std::string_view name = one.name();
            if (is_one_of(name, element.attributes) || is_of_xml(name)) continue;
            unknown(node, element, name, "attribute " + in_quotes(name), trimmed(one.value()));
        }
        check_text(node.value(), node, element);
    }

    void check_text(std::string_view text, xml_node node, const KnownElement& element) {
        if (element.has_text || text.empty()) return;
        constexpr std::size_t most = 40;
        text = trimmed(text);
        if (!text.empty()) unknown(node, element, "", "text " + in_quotes(text.substr(0, most)), "");
    }

    std::string_view value_of(xml_node label) const {
        for (const xml_node part : Elements(label)) {
            const std::string_view name = document_.local_name(part);
            if (name == "text" || name == "value") return trimmed(document_.text_of(part));
        }
        return trimmed(document_.text_of(label));
    }

    void unknown(xml_node holder, const KnownElement& element, std::string_view name,
                 const std::string& construct, std::string_view value) {
        if (arc_)
            document_.fail(holder, "an arc with nothing that could change its meaning", "the " + construct);
        const bool is_node = element.name == "place" || element.name == "transition" ||
                             element.name == "shared-place" || element.name == "shared-transition";
        const std::string small = lower_case(name);
        for (const Meaning& meaning : meanings) {
            if (!is_node || !is_one_of(small, meaning.names)) continue;
            if (value.empty() || is_one_of(lower_case(value), meaning.neutral)) return;
            document_.fail(holder, std::string(meaning.expected),
                           "the " + construct + " with " + in_quotes(value));
        }
        const auto group =
            groups_.try_emplace({element.name, construct},
                                Group{construct, is_node ? question(name) : "", holder, groups_.size(), 0});
        ++group.first->second.count;
    }

    const Document& document_;
    std::vector<std::string>* warnings_;
    xml_node arc_;  // the arc being checked
    std::map<std::pair<std::string_view, std::string>, Group> groups_;
};

}  // namespace

void check_net_parts(const Document& document, xml_node net, std::vector<std::string>* warnings) {
    PartChecker checker(document, warnings);
    checker.check(net);
    checker.warn();
}

void check_root_parts(const Document& document, std::vector<std::string>* warnings) {
    PartChecker checker(document, warnings);
    checker.check(document.root());
    checker.warn();
}

}  // namespace warpnet::pnml::xml
