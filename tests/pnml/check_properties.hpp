#pragma once

#include "engine/formula/parse_formula.hpp"
#include "engine/net/net_builder.hpp"
#include "pnml/read_properties.hpp"

#include <stdexcept>
#include <string_view>

namespace warpnet::testing {

/// A net with the nodes that the corpora name.
inline Net net_of_properties() {
    NetBuilder net("n");
    const PlaceId p = net.add_place("p", 1);
    const PlaceId q = net.add_place("q");
    const TransitionId t = net.add_transition("t");
    net.add_input(p, t);
    net.add_output(t, q);
    net.add_transition("u");
    return net.build();
}

/// A formula is usable: every node that it names exists.
inline void check_formula(const Formula& formula, const Net& net) {
    for (const auto& term : formula.sum.tokens)
        if (term.node >= net.places().size()) throw std::logic_error("a place that is not there");
    for (const std::uint32_t transition : formula.transitions)
        if (transition >= net.transitions().size()) throw std::logic_error("a transition that is not there");
    if (is_state_formula(formula)) without_transitions(formula, net);
    for (const Formula& operand : formula.operands) check_formula(operand, net);
}

/// The check for any bytes: as a condition, as a formula and as a file of properties they are rejected with
/// an InputError, or are usable. Returns whether one of the three is usable.
inline bool check_properties(std::string_view bytes) {
    const Net net = net_of_properties();
    bool read = false;
    for (const auto language :
         {FormulaLanguage::of_runs, FormulaLanguage::of_markings, FormulaLanguage::temporal}) {
        try {
            check_formula(parse_formula(bytes, net, language), net);
            read = true;
        } catch (const InputError&) {
        }
    }
    try {
        for (const Property& property : pnml::read_properties(bytes, "document", net)) {
            check_formula(property.formula, net);
            read = true;
        }
    } catch (const InputError&) {
    }
    return read;
}

}  // namespace warpnet::testing
