#include "pnml/dialect/node_labels.hpp"

#include <string>

namespace warpnet::xml {

namespace {

/// TAPAAL keeps names and positions in attributes.
NodeLabels from_attributes(pugi::xml_node node) {
    NodeLabels result;
    result.name = trim(node.attribute("name").value());
    const pugi::xml_attribute x = node.attribute("positionX");
    const pugi::xml_attribute y = node.attribute("positionY");
    if (x && y) {
        const auto at_x = coordinate(x);
        const auto at_y = coordinate(y);
        if (at_x && at_y) result.position = Position{*at_x, *at_y};
    }
    return result;
}

/// Reads what places and transitions have in common. Returns whether the part was that.
bool read_common(const Labels& labels, pugi::xml_node part, std::string_view name, NodeLabels& result) {
    if (name == "name") {
        result.name = labels.text(part);
    } else if (name == "graphics") {
        result.position = labels.position(part);
    } else {
        return false;
    }
    return true;
}

/// PIPE writes 0 for a place without capacity.
void check_capacity(const Labels& labels, pugi::xml_node label) {
    const std::string_view said = labels.text(label);
    if (said.empty() || said == "0" || said == "inf") return;
    labels.document().fail(label, "a place without capacity (a complement place says the same)",
                           "capacity " + in_quotes(said));
}

}  // namespace

NodeLabels read_place_labels(Labels& labels, const TimingLabels& timing, pugi::xml_node place) {
    const Document& document = labels.document();
    NodeLabels result = from_attributes(place);
    std::optional<Tokens> initial;
    const auto say = [&](pugi::xml_node where, std::optional<Tokens> tokens) {
        if (tokens && initial && *tokens != *initial) {
            document.fail(where, "one initial marking",
                          std::to_string(*tokens) + " beside " + std::to_string(*initial));
        }
        if (tokens) initial = tokens;
    };
    if (const auto attribute = place.attribute("initialMarking"))
        say(place, labels.count(place, attribute, 0));
    timing.check_invariant(place, place.attribute("invariant").value());
    for (const pugi::xml_node part : Elements(place)) {
        const std::string_view name = document.local_name(part);
        if (read_common(labels, part, name, result)) continue;
        if (name == "initialMarking") {
            say(part, labels.count(part, 0));
        } else if (name == "capacity") {
            check_capacity(labels, part);
        } else if (name == "invariant") {
            timing.check_invariant(part, labels.text(part));
        } else if (name == "hlinitialMarking") {
            say(part, labels.dots().count(part, 0));
        } else if (name == "type") {
            labels.dots().check_type(part);
            result.has_sort = true;
        }
    }
    result.initial = initial.value_or(0);
    return result;
}

NodeLabels read_transition_labels(const Labels& labels, TimingLabels& timing, pugi::xml_node transition) {
    NodeLabels result = from_attributes(transition);
    timing.begin_transition();
    for (const pugi::xml_node part : Elements(transition)) {
        const std::string_view name = labels.document().local_name(part);
        if (read_common(labels, part, name, result)) continue;
        if (name == "condition") labels.dots().check_condition(part);
        timing.read(part, name);
    }
    return result;
}

}  // namespace warpnet::xml
