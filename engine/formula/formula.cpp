// Formulas are plain trees of values. Enabledness and deadlock can be replaced by conditions on places
// (without_transitions()), so that code which evaluates a formula on a marking needs no net.
//
// A formula owns its operands, so it can be copied and stored without regard to others. Cost: constructors
// move their operands. without_transitions() takes O(formula + arcs of the transitions that it names), and of
// all arcs of the net for `dead`.

#include "engine/formula/formula.hpp"

#include <algorithm>
#include <utility>

namespace warpnet {

namespace {

Formula joined(Formula::Kind kind, std::vector<Formula> operands) {
    if (operands.size() == 1) return std::move(operands.front());
    Formula formula;
    formula.kind = kind;
    formula.operands = std::move(operands);
    return formula;
}

/// The conditions of a transition that follow from its arcs.
Formula enabling(const Net& net, TransitionId transition) {
    std::vector<Formula> conditions;
    for (const Arc& arc : net.arcs_of(transition)) {
        if (arc.kind == ArcKind::output) continue;
        LinearSum sum;
        sum.tokens = {{static_cast<std::uint32_t>(index(arc.place)), 1}};
        sum.constant = -arc.weight;
        conditions.push_back(comparison(
            std::move(sum), arc.kind == ArcKind::inhibitor ? Relation::less : Relation::greater_equal));
    }
    if (conditions.empty()) return constant(true);
    return conjunction(std::move(conditions));
}

}  // namespace

Formula constant(bool value) {
    Formula formula;
    formula.value = value;
    return formula;
}

Formula comparison(LinearSum sum, Relation relation) {
    Formula formula;
    formula.kind = Formula::Kind::comparison;
    formula.relation = relation;
    formula.sum = std::move(sum);
    return formula;
}

Formula enabled_one_of(std::vector<std::uint32_t> transitions) {
    Formula formula;
    formula.kind = Formula::Kind::enabled;
    formula.transitions = std::move(transitions);
    return formula;
}

Formula dead_marking() {
    Formula formula;
    formula.kind = Formula::Kind::dead;
    return formula;
}

Formula negation(Formula operand) {
    Formula formula;
    formula.kind = Formula::Kind::negation;
    formula.operands.push_back(std::move(operand));
    return formula;
}

Formula conjunction(std::vector<Formula> operands) {
    return operands.empty() ? constant(true) : joined(Formula::Kind::conjunction, std::move(operands));
}

Formula disjunction(std::vector<Formula> operands) {
    return operands.empty() ? constant(false) : joined(Formula::Kind::disjunction, std::move(operands));
}

Formula temporal(Formula::Kind kind, bool on_all_paths, std::vector<Formula> operands) {
    Formula formula;
    formula.kind = kind;
    formula.on_all_paths = on_all_paths;
    formula.operands = std::move(operands);
    return formula;
}

bool is_constant(const Formula& formula, bool value) {
    return formula.kind == Formula::Kind::constant && formula.value == value;
}

bool is_state_formula(const Formula& formula) {
    return formula.kind < Formula::Kind::next &&
           std::all_of(formula.operands.begin(), formula.operands.end(), is_state_formula);
}

bool counts_firings(const Formula& formula) {
    return !formula.sum.firings.empty() ||
           std::any_of(formula.operands.begin(), formula.operands.end(), counts_firings);
}

Formula without_transitions(const Formula& state_formula, const Net& net) {
    if (state_formula.kind == Formula::Kind::enabled) {
        std::vector<Formula> each;
        for (const std::uint32_t transition : state_formula.transitions)
            each.push_back(enabling(net, TransitionId(transition)));
        return disjunction(std::move(each));
    }
    if (state_formula.kind == Formula::Kind::dead) {
        std::vector<Formula> each;
        for (std::size_t t = 0; t < net.transitions().size(); ++t)
            each.push_back(negation(enabling(net, TransitionId(t))));
        return conjunction(std::move(each));
    }
    Formula formula = state_formula;
    for (Formula& operand : formula.operands) operand = without_transitions(operand, net);
    return formula;
}

Relation opposite(Relation relation) noexcept {
    switch (relation) {
        case Relation::equal:
            return Relation::not_equal;
        case Relation::not_equal:
            return Relation::equal;
        case Relation::less:
            return Relation::greater_equal;
        case Relation::less_equal:
            return Relation::greater;
        case Relation::greater:
            return Relation::less_equal;
        case Relation::greater_equal:
            return Relation::less;
    }
    return relation;
}

}  // namespace warpnet
