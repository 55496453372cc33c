// Simplifies formulas before any method answers them. Rules of [Bonneland18] rewrite a formula bottom-up into
// an equivalent one with fewer path operators, and fold constants. They hold in every state of every graph.
// holds_in() then tries to decide the formula from one marking and from known answers about reachable
// markings. O(size of the formula), except for the questions that holds_in() asks.

#include "analysis/states/properties/conditions.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

namespace warpnet::states {

namespace {

using Kind = Formula::Kind;

bool is_constant(const Formula& formula, bool value) {
    return formula.kind == Kind::constant && formula.value == value;
}

/// Operands of the same kind are merged into the whole; constants and duplicates vanish.
Formula flat(Kind kind, std::vector<Formula> operands) {
    const bool neutral = kind == Kind::conjunction;
    std::vector<Formula> all;
    for (Formula& operand : operands) {
        if (is_constant(operand, neutral)) continue;
        if (is_constant(operand, !neutral)) return constant(!neutral);
        if (operand.kind == kind) {
            for (Formula& inner : operand.operands) all.push_back(std::move(inner));
        } else {
            all.push_back(std::move(operand));
        }
    }
    return neutral ? conjunction(std::move(all)) : disjunction(std::move(all));
}

Formula negated(Formula formula) {
    if (formula.kind == Kind::constant) return constant(!formula.value);
    if (formula.kind == Kind::negation) return std::move(formula.operands.front());
    if (formula.kind == Kind::comparison) {
        formula.relation = opposite(formula.relation);
        return formula;
    }
    if (formula.kind == Kind::conjunction || formula.kind == Kind::disjunction) {
        std::vector<Formula> operands;
        for (Formula& operand : formula.operands) operands.push_back(negated(std::move(operand)));
        return flat(formula.kind == Kind::conjunction ? Kind::disjunction : Kind::conjunction,
                    std::move(operands));
    }
    if (formula.kind == Kind::finally || formula.kind == Kind::globally) {
        return temporal(formula.kind == Kind::finally ? Kind::globally : Kind::finally, !formula.on_all_paths,
                        {negated(std::move(formula.operands.front()))});
    }
    if (formula.kind == Kind::next)
        return temporal(Kind::next, !formula.on_all_paths, {negated(std::move(formula.operands.front()))});
    return negation(std::move(formula));
}

bool is_some_finally(const Formula& formula) {
    return formula.kind == Kind::finally && !formula.on_all_paths;
}

/// `operand` is simplified.
Formula some_finally(Formula operand) {
    if (operand.kind == Kind::constant || is_some_finally(operand)) return operand;
    // If some or all paths lead to the operand from a state on a path, there is a state with it.
    if (operand.kind == Kind::finally || operand.kind == Kind::until)
        return some_finally(std::move(operand.operands.back()));
    if (operand.kind == Kind::disjunction) {
        std::vector<Formula> parts, states;
        for (Formula& part : operand.operands) {
            if (is_state_formula(part)) {
                states.push_back(std::move(part));
            } else {
                parts.push_back(some_finally(std::move(part)));
            }
        }
        if (!states.empty())
            parts.push_back(temporal(Kind::finally, false, {disjunction(std::move(states))}));
        return flat(Kind::disjunction, std::move(parts));
    }
    return temporal(Kind::finally, false, {std::move(operand)});
}

/// `operand` is simplified.
Formula all_finally(Formula operand) {
    if (operand.kind == Kind::constant || operand.kind == Kind::finally) return operand;
    if (operand.kind == Kind::until && operand.on_all_paths)
        return all_finally(std::move(operand.operands.back()));
    if (operand.kind == Kind::disjunction) {
        // A state that can be reached from a path can be reached now.
        std::vector<Formula> now, later;
        for (Formula& part : operand.operands)
            (is_some_finally(part) ? now : later).push_back(std::move(part));
        if (!now.empty()) {
            if (!later.empty()) now.push_back(all_finally(disjunction(std::move(later))));
            return flat(Kind::disjunction, std::move(now));
        }
        operand = disjunction(std::move(later));
    }
    return temporal(Kind::finally, true, {std::move(operand)});
}

Formula until(bool on_all_paths, Formula hold, Formula reached) {
    if (reached.kind == Kind::constant || is_some_finally(reached)) return reached;
    if (is_constant(hold, false)) return reached;
    if (is_constant(hold, true))
        return on_all_paths ? all_finally(std::move(reached)) : some_finally(std::move(reached));
    return temporal(Kind::until, on_all_paths, {std::move(hold), std::move(reached)});
}

}  // namespace

Formula simplified(const Formula& formula) {
    std::vector<Formula> operands;
    for (const Formula& operand : formula.operands) operands.push_back(simplified(operand));
    switch (formula.kind) {
        case Kind::negation:
            return negated(std::move(operands.front()));
        case Kind::conjunction:
        case Kind::disjunction:
            return flat(formula.kind, std::move(operands));
        case Kind::finally:
            return formula.on_all_paths ? all_finally(std::move(operands.front()))
                                        : some_finally(std::move(operands.front()));
        case Kind::globally: {
            Formula opposite = negated(std::move(operands.front()));
            return negated(formula.on_all_paths ? some_finally(std::move(opposite))
                                                : all_finally(std::move(opposite)));
        }
        case Kind::until:
            return until(formula.on_all_paths, std::move(operands.front()), std::move(operands.back()));
        case Kind::next:
            return temporal(Kind::next, formula.on_all_paths, std::move(operands));
        default:
            return formula;
    }
}

namespace {

using Known = std::optional<bool>;

Known joined(const Formula& formula, const std::function<Known(const Formula&)>& known) {
    const bool decides = formula.kind == Kind::disjunction;
    Known result = !decides;
    for (const Formula& operand : formula.operands) {
        const Known value = known(operand);
        if (value == decides) return decides;
        if (!value) result = std::nullopt;
    }
    return result;
}

Known opposite_of(Known known) { return known ? Known(!*known) : known; }

}  // namespace

std::optional<bool> holds_in(const Formula& formula, const Net& net, const Marking& marking,
                             const ReachKnowledge& reachable) {
    const std::function<Known(const Formula&)> known = [&](const Formula& part) {
        return holds_in(part, net, marking, reachable);
    };
    if (is_state_formula(formula))
        return Condition(formula, net).holds([&](std::uint32_t place) { return marking[place]; });
    switch (formula.kind) {
        case Kind::negation:
            return opposite_of(known(formula.operands.front()));
        case Kind::conjunction:
        case Kind::disjunction:
            return joined(formula, known);
        case Kind::finally: {
            const Formula& operand = formula.operands.front();
            if (known(operand) == true) return true;
            if (!is_state_formula(operand)) return std::nullopt;
            const Known reach = reachable(operand);
            return formula.on_all_paths && reach != false ? std::nullopt : reach;
        }
        case Kind::globally: {
            const Formula& operand = formula.operands.front();
            if (known(operand) == false) return false;
            if (!is_state_formula(operand)) return std::nullopt;
            const Known broken = reachable(simplified(negation(operand)));
            return !formula.on_all_paths && broken != false ? std::nullopt : opposite_of(broken);
        }
        case Kind::until: {
            const Known reached = known(formula.operands.back());
            if (reached == true) return true;
            if (reached == false && known(formula.operands.front()) == false) return false;
            if (is_state_formula(formula.operands.back()) && reachable(formula.operands.back()) == false)
                return false;
            return std::nullopt;
        }
        default:
            return std::nullopt;
    }
}

bool asks_about_markings(const Formula& formula) {
    if (is_state_formula(formula)) return true;
    const auto nested = [](const Formula& operand) { return asks_about_markings(operand); };
    switch (formula.kind) {
        case Formula::Kind::negation:
        case Formula::Kind::conjunction:
        case Formula::Kind::disjunction:
            return std::all_of(formula.operands.begin(), formula.operands.end(), nested);
        case Formula::Kind::finally:
            return !formula.on_all_paths && is_state_formula(formula.operands.front());
        case Formula::Kind::globally:
            return formula.on_all_paths && is_state_formula(formula.operands.front());
        default:
            return false;
    }
}

Formula with_conditions(const Formula& formula, const std::function<Formula(const Formula&)>& other) {
    if (is_state_formula(formula)) return formula.kind == Kind::constant ? formula : other(formula);
    Formula result = formula;
    for (Formula& operand : result.operands) operand = with_conditions(operand, other);
    return result;
}

void add_conditions(const Formula& formula, std::vector<Formula>& conditions) {
    if (is_state_formula(formula)) {
        if (formula.kind != Formula::Kind::constant) conditions.push_back(formula);
        return;
    }
    for (const Formula& operand : formula.operands) add_conditions(operand, conditions);
}

Formula reversible(const Net& net) {
    std::vector<Formula> places;
    for (std::uint32_t p = 0; p < net.places().size(); ++p)
        places.push_back(comparison({{{p, 1}}, {}, -net.places()[p].initial}, Relation::equal));
    Formula back = temporal(Formula::Kind::finally, false, {conjunction(std::move(places))});
    return temporal(Formula::Kind::globally, true, {std::move(back)});
}

}  // namespace warpnet::states
