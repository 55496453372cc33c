// Properties of the Model Checking Contest. Elements map to formulas one to one, by recursive descent with a
// limit on depth. The document is checked as strictly as a net: unknown elements, attributes and texts are
// errors, since a property that is read partly asks another question.
//
// Equivalence and exclusive disjunction contain each operand twice, so nested ones grow exponentially.
// most_operators ends that with an error. Operands cannot be shared, because a Formula owns them. LTL is
// rejected by name. Sums search their terms linearly, O(terms^2) per sum.

#include "pnml/read_properties.hpp"

#include "engine/base/text.hpp"
#include "engine/input/input_file.hpp"
#include "pnml/dialect/labels.hpp"
#include "pnml/xml/xml_document.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace warpnet::pnml {

namespace {

using pugi::xml_node;
using xml::Elements;
using xml::in_quotes;
using xml::in_tag;

constexpr int deepest = 1000;                    // nesting of elements; limits the recursion
constexpr std::size_t most_operators = 100'000;  // of a formula whose operands are doubled

class PropertyReader {
  public:
    PropertyReader(const xml::Document& document, const Net& net)
        : document_(document), nodes_(net), net_(net) {}

    std::vector<Property> read() const {
        const xml_node root = document_.root();
        if (document_.local_name(root) != "property-set")
            document_.fail(root, "the element <property-set>", in_tag(root.name()));
        check_content(root);
        std::vector<Property> properties;
        std::set<std::string> ids;
        for (const xml_node part : Elements(root)) {
            if (document_.local_name(part) != "property")
                document_.fail(part, "a <property>", in_tag(part.name()));
            properties.push_back(property(part));
            if (!ids.insert(properties.back().id).second)
                document_.fail(part, "an <id> of its own", in_quotes(properties.back().id) + " twice");
        }
        if (properties.empty()) document_.fail(root, "a property", "none");
        return properties;
    }

  private:
    /// No element may have attributes, and only innermost elements may have text.
    void check_content(xml_node root) const {
        static constexpr std::string_view with_text[] = {"id", "description", "place", "transition",
                                                         "integer-constant"};
        xml_node at = root;
        for (;;) {
            const std::string_view name = document_.local_name(at);
            if (at.type() == pugi::node_element) {
                for (const pugi::xml_attribute one : at.attributes()) {
                    const std::string_view attribute = one.name();
                    if (!attribute.starts_with("xmlns") && !attribute.starts_with("xsi:"))
                        document_.fail(at, "no attributes", "the attribute " + in_quotes(attribute));
                }
                const std::string_view text = trimmed(document_.text_of(at));
                if (std::find(std::begin(with_text), std::end(with_text), name) == std::end(with_text)) {
                    if (!text.empty()) document_.fail(at, "elements only", "the text " + in_quotes(text));
                } else if (const Elements inner(at); !inner.empty()) {
                    document_.fail(at, "a text", in_tag((*inner.begin()).name()));
                }
            }
            if (at.first_child()) {
                at = at.first_child();
                continue;
            }
            while (at != root && !at.next_sibling()) at = at.parent();
            if (at == root) return;
            at = at.next_sibling();
        }
    }

    Property property(xml_node element) const {
        Property result;
        xml_node content;
        for (const xml_node part : Elements(element)) {
            const std::string_view name = document_.local_name(part);
            if (name == "id" && result.id.empty()) {
                result.id = trimmed(document_.text_of(part));
            } else if (name == "formula" && !content) {
                content = part;
            } else if (name != "description") {
                document_.fail(element, "one <id>, <description> and one <formula>", in_tag(part.name()));
            }
        }
        if (result.id.empty()) document_.fail(element, "an <id>", "none");
        if (!content) document_.fail(element, "a <formula>", "none");
        const xml_node whole = only(content);
        if (document_.local_name(whole) == "place-bound") {
            result.kind = Property::Kind::maximum;
            result.sum = tokens(whole);
        } else {
            result.formula = formula(whole, 0);
        }
        return result;
    }

    std::vector<xml_node> operands(xml_node element, std::size_t least, std::size_t most) const {
        std::vector<xml_node> parts;
        for (const xml_node part : Elements(element)) parts.push_back(part);
        if (parts.size() < least || parts.size() > most) {
            document_.fail(element,
                           least == most ? plural(least, "element") : "at least " + plural(least, "element"),
                           std::to_string(parts.size()) +
                               (parts.empty() ? "" : " beginning with " + in_tag(parts.front().name())));
        }
        return parts;
    }
    xml_node only(xml_node element) const { return operands(element, 1, 1).front(); }

    Formula formula(xml_node element, int depth) const {
        if (depth > deepest) document_.fail(element, "less deeply nested formulas", "one more");
        const std::string_view name = document_.local_name(element);
        if (name == "true" || name == "false" || name == "deadlock") {
            operands(element, 0, 0);
            return name == "deadlock" ? dead_marking() : constant(name == "true");
        }
        if (name == "is-fireable") return enabled_one_of(transitions(element));
        if (name == "negation") return negation(formula(only(element), depth + 1));
        if (name == "exists-path" || name == "all-paths") return path(element, name == "all-paths", depth);
        if (const auto relation = relation_of(name)) return compared(element, *relation);
        if (name == "conjunction") return conjunction(formulas(element, 1, depth));
        if (name == "disjunction") return disjunction(formulas(element, 1, depth));
        if (name == "implication" || name == "equivalence" || name == "exclusive-disjunction") {
            Formula result = of_two(name, formulas(element, 2, depth));
            if (name != "implication" && size_of(result) > most_operators)
                document_.fail(element, "at most " + std::to_string(most_operators) + " operators",
                               "more: " + in_tag(element.name()) + " has each of its operands twice");
            return result;
        }
        if (name == "finally" || name == "globally" || name == "next" || name == "until")
            document_.fail(element, "a path quantifier around " + in_tag(name) + " (CTL; LTL is not known)",
                           "none");
        document_.fail(element, "an element of a formula", in_tag(element.name()));
    }

    std::vector<Formula> formulas(xml_node element, std::size_t least, int depth) const {
        std::vector<Formula> result;
        for (const xml_node part : operands(element, least, least == 2 ? 2 : SIZE_MAX))
            result.push_back(formula(part, depth + 1));
        return result;
    }

    static std::size_t size_of(const Formula& formula) {
        std::size_t size = 1;
        for (const Formula& operand : formula.operands) size += size_of(operand);
        return size;
    }

    static Formula of_two(std::string_view name, std::vector<Formula> two) {
        if (name == "implication") return disjunction({negation(two[0]), two[1]});
        Formula both = conjunction(two);
        Formula neither = conjunction({negation(two[0]), negation(two[1])});
        Formula equal = disjunction({std::move(both), std::move(neither)});
        return name == "equivalence" ? equal : negation(std::move(equal));
    }

    Formula path(xml_node quantifier, bool on_all_paths, int depth) const {
        const xml_node element = only(quantifier);
        const std::string_view name = document_.local_name(element);
        if (name == "until") {
            const auto parts = operands(element, 2, 2);
            if (document_.local_name(parts[0]) != "before" || document_.local_name(parts[1]) != "reach")
                document_.fail(element, "<before> and <reach>", in_tag(parts[0].name()));
            return temporal(Formula::Kind::until, on_all_paths,
                            {formula(only(parts[0]), depth + 1), formula(only(parts[1]), depth + 1)});
        }
        const auto kind = name == "finally"    ? std::optional(Formula::Kind::finally)
                          : name == "globally" ? std::optional(Formula::Kind::globally)
                          : name == "next"     ? std::optional(Formula::Kind::next)
                                               : std::nullopt;
        if (!kind)
            document_.fail(element, "<finally>, <globally>, <next> or <until>", in_tag(element.name()));
        return temporal(*kind, on_all_paths, {formula(only(element), depth + 1)});
    }

    static std::optional<Relation> relation_of(std::string_view name) {
        if (name == "integer-le") return Relation::less_equal;
        if (name == "integer-lt") return Relation::less;
        if (name == "integer-ge") return Relation::greater_equal;
        if (name == "integer-gt") return Relation::greater;
        if (name == "integer-eq") return Relation::equal;
        if (name == "integer-ne") return Relation::not_equal;
        return std::nullopt;
    }

    Formula compared(xml_node element, Relation relation) const {
        const auto sides = operands(element, 2, 2);
        LinearSum difference = sum(sides[0], 0);
        add(difference, sum(sides[1], 0), -1, element);
        return comparison(std::move(difference), relation);
    }

    LinearSum sum(xml_node element, int depth) const {
        if (depth > deepest) document_.fail(element, "less deeply nested sums", "one more");
        const std::string_view name = document_.local_name(element);
        if (name == "tokens-count") return tokens(element);
        LinearSum total;
        if (name == "integer-constant") {
            const auto value = xml::whole_number<std::int64_t>(trimmed(document_.text_of(element)));
            if (!value)
                document_.fail(element, "a whole number below 2^63", in_quotes(document_.text_of(element)));
            total.constant = *value;
        } else if (name == "integer-sum" || name == "integer-difference") {
            int factor = 1;
            for (const xml_node part : operands(element, 1, SIZE_MAX)) {
                add(total, sum(part, depth + 1), factor, element);
                if (name == "integer-difference") factor = -1;
            }
        } else {
            document_.fail(element, "tokens of places or a number", in_tag(element.name()));
        }
        return total;
    }

    LinearSum tokens(xml_node element) const {
        LinearSum total;
        for (const xml_node part : operands(element, 1, SIZE_MAX)) {
            const std::string_view id = trimmed(document_.text_of(part));
            const auto place = document_.local_name(part) == "place" ? nodes_.place(id) : std::nullopt;
            if (!place) {
                document_.fail(part, "the id of a place of net " + in_quotes(net_.id()), in_quotes(id));
            }
            LinearSum one;
            one.tokens = {{static_cast<std::uint32_t>(index(*place)), 1}};
            add(total, one, 1, element);
        }
        return total;
    }

    std::vector<std::uint32_t> transitions(xml_node element) const {
        std::vector<std::uint32_t> result;
        for (const xml_node part : operands(element, 1, SIZE_MAX)) {
            const std::string_view id = trimmed(document_.text_of(part));
            const auto transition =
                document_.local_name(part) == "transition" ? nodes_.transition(id) : std::nullopt;
            if (!transition)
                document_.fail(part, "the id of a transition of net " + in_quotes(net_.id()), in_quotes(id));
            result.push_back(static_cast<std::uint32_t>(index(*transition)));
        }
        return result;
    }

    void add(LinearSum& total, const LinearSum& summand, std::int64_t factor, xml_node element) const {
        constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
        for (const LinearSum::Term& term : summand.tokens) {
            const auto same = std::find_if(total.tokens.begin(), total.tokens.end(),
                                           [&](const auto& other) { return other.node == term.node; });
            if (same == total.tokens.end()) {
                total.tokens.push_back({term.node, factor * term.coefficient});
                continue;
            }
            same->coefficient += factor * term.coefficient;
            if (same->coefficient > most || same->coefficient < -most)
                document_.fail(element, "coefficients below 2^31", "a larger one");
        }
        std::int64_t product = 0;
        if (__builtin_mul_overflow(summand.constant, factor, &product) ||
            __builtin_add_overflow(total.constant, product, &total.constant))
            document_.fail(element, "constants below 2^63", "a larger one");
    }

    const xml::Document& document_;
    NodeIndex nodes_;
    const Net& net_;
};

Property formula_property(std::string_view id, Formula formula) {
    Property property;
    property.id = id;
    property.formula = std::move(formula);
    return property;
}

}  // namespace

std::vector<Property> read_properties(std::string_view text, const std::string& source_name, const Net& net) {
    const xml::Document document(text, source_name);
    return PropertyReader(document, net).read();
}

std::vector<Property> read_properties_file(const std::filesystem::path& file, const Net& net) {
    return read_properties(read_input_file(file), file.string(), net);
}

std::vector<Property> global_property(std::string_view examination, const Net& net) {
    if (examination == "ReachabilityDeadlock")
        return {formula_property(examination, temporal(Formula::Kind::finally, false, {dead_marking()}))};
    if (examination == "OneSafe") {
        std::vector<Formula> each;
        for (std::size_t p = 0; p < net.places().size(); ++p) {
            LinearSum sum;
            sum.tokens = {{static_cast<std::uint32_t>(p), 1}};
            sum.constant = -1;
            each.push_back(comparison(std::move(sum), Relation::less_equal));
        }
        return {formula_property(examination,
                                 temporal(Formula::Kind::globally, true, {conjunction(std::move(each))}))};
    }
    Property property = formula_property(examination, {});
    if (examination == "StableMarking") {
        property.kind = Property::Kind::stable;
    } else if (examination == "QuasiLiveness" || examination == "Liveness") {
        property.kind = examination == "Liveness" ? Property::Kind::live : Property::Kind::quasi_live;
        for (std::size_t t = 0; t < net.transitions().size(); ++t)
            property.transitions.push_back(static_cast<std::uint32_t>(t));
    } else {
        return {};
    }
    return {std::move(property)};
}

}  // namespace warpnet::pnml
