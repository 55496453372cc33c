// Two rules of formulas about paths, which need the incidence matrix C and no marking.
//
// 1. A set T of transitions alone cannot run forever if no x >= 0 on T but 0 has C x >= 0: of an endless run,
//    two markings m <= m' with m before m' exist (Dickson's lemma), and the firings between them are such an
//    x. Inhibitor arcs only forbid runs. If a formula holds only where a transition of T can fire, then
//    firing T as long as possible leads from every marking to one without the formula, so `AG` of it is
//    false. A transition alone ends if it takes from some place more than it gives back.
// 2. If all transitions together end, every marking leads to a dead one, where each path operator is its
//    operand: `EF AG p` means that a dead marking with p can be reached, `AG EF p` that every reachable dead
//    marking has p, and `AF p` is true if all dead markings have p.
//
// The linear program max 1 x with C x >= 0 and 1 x <= 1000 on T decides the first rule: a certified maximum
// below 1 comes with weights of places that each transition of T decreases.

#include "analysis/states/properties/path_rules.hpp"

#include "analysis/states/linear/linear_program.hpp"
#include "analysis/states/properties/conditions.hpp"
#include "engine/base/no_index.hpp"
#include "engine/base/work_limits.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace warpnet::states {

namespace {

using Kind = Formula::Kind;

constexpr std::int64_t most_firings = 1000;
constexpr std::uint64_t program_effort = 5'000'000;  // a quarter of a second, about

bool is(const Formula& formula, Kind kind, bool on_all_paths) {
    return formula.kind == kind && formula.on_all_paths == on_all_paths;
}

/// A formula without path operators that holds in the same dead markings.
Formula in_dead_marking(const Formula& formula) {
    switch (formula.kind) {
        case Kind::enabled:
            return constant(false);
        case Kind::dead:
            return constant(true);
        case Kind::next:
            return constant(formula.on_all_paths);
        case Kind::finally:
        case Kind::globally:
        case Kind::until:
            return in_dead_marking(formula.operands.back());
        default:
            break;
    }
    Formula result = formula;
    for (Formula& operand : result.operands) operand = in_dead_marking(operand);
    return simplified(result);
}

Formula some_dead_marking_has(const Formula& formula) {
    return simplified(
        temporal(Kind::finally, false, {conjunction({dead_marking(), in_dead_marking(formula)})}));
}

Formula all_dead_markings_have(const Formula& formula) {
    return simplified(negation(some_dead_marking_has(negation(formula))));
}

}  // namespace

Formula PathRules::simplify(const Formula& formula) {
    if (is_state_formula(formula)) return simplified(formula);
    Formula result = formula;
    for (Formula& operand : result.operands) operand = simplify(operand);
    result = simplified(result);
    if (is(result, Kind::globally, true) && always_ends(result.operands.front())) return constant(false);
    if (is(result, Kind::finally, false) && always_ends(simplified(negation(result.operands.front()))))
        return constant(true);
    return of_terminating(std::move(result));
}

Formula PathRules::of_terminating(Formula formula) {
    if (formula.kind != Kind::finally && formula.kind != Kind::globally) return formula;
    const bool all = formula.on_all_paths, finally = formula.kind == Kind::finally;
    const Formula& operand = formula.operands.front();
    const bool opposite_within = is(operand, finally ? Kind::globally : Kind::finally, true) ||
                                 is(operand, finally ? Kind::globally : Kind::finally, false);
    // EF AG, AF AG, AG EF, EG EF
    if (opposite_within && operand.on_all_paths == finally && all_runs_end())
        return all ? all_dead_markings_have(operand) : some_dead_marking_has(operand);
    if (all != finally) return formula;
    // EG without dead markings, AF with all of them
    return is_constant(in_dead_marking(operand), finally) && all_runs_end() ? constant(finally) : formula;
}

std::optional<std::vector<std::uint32_t>> PathRules::needed_for(const Formula& formula) {
    switch (formula.kind) {
        case Kind::enabled:
            return formula.transitions;
        case Kind::conjunction:
            for (const Formula& operand : formula.operands)
                if (auto needed = needed_for(operand); needed && runs_end(*needed)) return needed;
            return std::nullopt;
        case Kind::disjunction:
        case Kind::until: {
            std::vector<std::uint32_t> needed;
            for (const Formula& operand : formula.operands) {
                const auto one = needed_for(operand);
                if (!one) return std::nullopt;
                needed.insert(needed.end(), one->begin(), one->end());
            }
            return needed;
        }
        case Kind::globally:
            return needed_for(formula.operands.front());
        case Kind::constant:
            return formula.value ? std::nullopt : std::optional(std::vector<std::uint32_t>());
        default:
            break;
    }
    const bool leads_on = is(formula, Kind::next, false) ||
                          (formula.kind == Kind::negation && formula.operands.front().kind == Kind::dead);
    if (!leads_on || !all_runs_end()) return std::nullopt;
    std::vector<std::uint32_t> all(net_.transition_count());
    std::iota(all.begin(), all.end(), 0u);
    return all;
}

bool PathRules::always_ends(const Formula& formula) {
    const auto needed = needed_for(formula);
    return needed && runs_end(*needed);
}

bool PathRules::all_runs_end() {
    if (all_runs_end_) return *all_runs_end_;
    std::vector<std::uint32_t> all(net_.transition_count());
    std::iota(all.begin(), all.end(), 0u);
    all_runs_end_ = runs_end(all);
    return *all_runs_end_;
}

bool PathRules::runs_end(std::span<const std::uint32_t> transitions) {
    const auto takes = [&](std::uint32_t t) {
        return std::ranges::any_of(net_.effects[t], [](const Effect& effect) { return effect.delta < 0; });
    };
    if (!std::ranges::all_of(transitions, takes)) return false;
    std::vector<std::uint32_t> each(transitions.begin(), transitions.end());
    std::ranges::sort(each);
    each.erase(std::unique(each.begin(), each.end()), each.end());
    if (each.size() <= 1) return true;
    if (each.size() == net_.transition_count() && all_runs_end_) return *all_runs_end_;

    LinearProgram program;
    std::vector<std::uint32_t> row_of(net_.place_count(), no_index);
    const std::uint32_t total = program.add_row(LinearProgram::Sense::at_most, most_firings);
    for (const std::uint32_t t : each) {
        const std::uint32_t column = program.add_column(1);
        program.add_entry(total, column, 1);
        for (const Effect& effect : net_.effects[t]) {
            std::uint32_t& row = row_of[effect.place];
            if (row == no_index) row = program.add_row(LinearProgram::Sense::at_most, 0);
            program.add_entry(row, column, -effect.delta);
        }
    }
    WorkLimits limits;
    limits.effort = program_effort;
    const CertifiedMaximum most = certified_maximum(program, most_firings, limits);
    return most.status == BoundStatus::bounded && most.value < 1;
}

}  // namespace warpnet::states
