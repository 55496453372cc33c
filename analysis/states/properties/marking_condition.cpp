#include "analysis/states/properties/marking_condition.hpp"

#include <stdexcept>

namespace warpnet {

MarkingCondition::MarkingCondition(const Formula& formula, const Net& net) {
    start_ = add(without_transitions(formula, net), yes, no);
}

/// Adds the tests of a formula behind those that follow it; gives the one to begin with.
std::uint32_t MarkingCondition::add(const Formula& formula, std::uint32_t then, std::uint32_t otherwise) {
    switch (formula.kind) {
        case Formula::Kind::constant:
            return formula.value ? then : otherwise;
        case Formula::Kind::comparison: {
            const auto first = static_cast<std::uint32_t>(terms_.size());
            terms_.insert(terms_.end(), formula.sum.tokens.begin(), formula.sum.tokens.end());
            const auto last = static_cast<std::uint32_t>(terms_.size());
            tests_.push_back({first, last, formula.sum.constant, then, otherwise, formula.relation});
            return static_cast<std::uint32_t>(tests_.size()) - 1;
        }
        case Formula::Kind::negation:
            return add(formula.operands.front(), otherwise, then);
        case Formula::Kind::conjunction:
            for (std::size_t i = formula.operands.size(); i > 0; --i)
                then = add(formula.operands[i - 1], then, otherwise);
            return then;
        case Formula::Kind::disjunction:
            for (std::size_t i = formula.operands.size(); i > 0; --i)
                otherwise = add(formula.operands[i - 1], then, otherwise);
            return otherwise;
        default:
            throw std::logic_error("a marking alone does not say what happens later");
    }
}

}  // namespace warpnet
