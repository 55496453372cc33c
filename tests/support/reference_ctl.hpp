#pragma once

#include "engine/formula/formula.hpp"
#include "tests/support/reference_exploration.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace warpnet::testing {

/// Judges every answer about formulas by the definitions: it recurses over the formula and repeats the
/// equations of the fixpoints until nothing changes. It shares no code with analysis/.
class ReferenceCtl {
  public:
    using Set = std::vector<bool>;

    ReferenceCtl(const Net& net, const ReferenceSpace& space) : net_(net), space_(space) {}

    Set states(const Formula& formula) const {
        Set result(space_.markings.size());
        std::vector<Set> parts;
        for (const Formula& operand : formula.operands) parts.push_back(states(operand));
        for (std::size_t s = 0; s < result.size(); ++s) result[s] = now(formula, parts, s);
        if (formula.kind < Formula::Kind::next || formula.kind == Formula::Kind::next) return result;
        const bool globally = formula.kind == Formula::Kind::globally;
        Set fix(result.size(), globally);
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t s = 0; s < fix.size(); ++s) {
                const bool dead = space_.edges[s].empty();
                const bool after = quantified(fix, s, formula.on_all_paths);
                bool value = false;
                if (globally) value = parts[0][s] && (dead || after);
                if (formula.kind == Formula::Kind::finally) value = parts[0][s] || (!dead && after);
                if (formula.kind == Formula::Kind::until)
                    value = parts[1][s] || (parts[0][s] && !dead && after);
                changed = changed || value != fix[s];
                fix[s] = value;
            }
        }
        return fix;
    }

    static Tokens value(const LinearSum& sum, const Marking& marking) {
        Tokens total = sum.constant;
        for (const auto& term : sum.tokens) total += term.coefficient * marking[term.node];
        return total;
    }

  private:
    bool quantified(const Set& set, std::size_t s, bool all) const {
        const auto in = [&](const ReferenceEdge& edge) { return bool(set[space_.numbers.at(edge.after)]); };
        return all ? std::ranges::all_of(space_.edges[s], in) : std::ranges::any_of(space_.edges[s], in);
    }

    bool enabled(const Marking& marking, std::uint32_t t) const {
        return std::ranges::all_of(net_.arcs_of(TransitionId(t)), [&](const Arc& arc) {
            const Tokens tokens = marking[index(arc.place)];
            if (arc.kind == ArcKind::output) return true;
            return arc.kind == ArcKind::inhibitor ? tokens < arc.weight : tokens >= arc.weight;
        });
    }

    bool now(const Formula& formula, const std::vector<Set>& parts, std::size_t s) const {
        const Marking& marking = space_.markings[s];
        const auto of = [&](const Set& part) { return bool(part[s]); };
        switch (formula.kind) {
            case Formula::Kind::constant:
                return formula.value;
            case Formula::Kind::comparison: {
                const Tokens total = value(formula.sum, marking);
                switch (formula.relation) {
                    case Relation::equal:
                        return total == 0;
                    case Relation::not_equal:
                        return total != 0;
                    case Relation::less:
                        return total < 0;
                    case Relation::less_equal:
                        return total <= 0;
                    case Relation::greater:
                        return total > 0;
                    case Relation::greater_equal:
                        return total >= 0;
                }
                return false;
            }
            case Formula::Kind::enabled:
                return std::ranges::any_of(formula.transitions,
                                           [&](std::uint32_t t) { return enabled(marking, t); });
            case Formula::Kind::dead:
                return space_.edges[s].empty();
            case Formula::Kind::negation:
                return !parts[0][s];
            case Formula::Kind::conjunction:
                return std::ranges::all_of(parts, of);
            case Formula::Kind::disjunction:
                return std::ranges::any_of(parts, of);
            case Formula::Kind::next:
                return quantified(parts[0], s, formula.on_all_paths);
            default:
                return false;
        }
    }

    const Net& net_;
    const ReferenceSpace& space_;
};

}  // namespace warpnet::testing
