// A formula about one marking becomes a chain of comparisons, each of which names the next one for true and
// for false. So evaluation stops at the first comparison that decides. Sums are evaluated in 128 bits.
// Coefficients have at most 31 bits and tokens 63, so no overflow is possible. Executors ask for the places
// and transitions that a condition mentions, because they must not skip steps that change them.

#include "engine/formula/condition.hpp"

#include <algorithm>
#include <stdexcept>

namespace warpnet {

namespace {

void make_ascending(std::vector<std::uint32_t>& nodes) {
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

}  // namespace

Condition::Condition(const Formula& formula, const Net& net) {
    start_ = add(without_transitions(formula, net), yes, no);
    for (const Test& test : tests_) {
        for (std::uint32_t i = test.first; i < test.last; ++i)
            (i < test.firings ? places_ : transitions_).push_back(terms_[i].node);
    }
    make_ascending(places_);
    make_ascending(transitions_);
}

/// Appends the tests of a formula before those that follow it; returns the first one.
std::uint32_t Condition::add(const Formula& formula, std::uint32_t then, std::uint32_t otherwise) {
    switch (formula.kind) {
        case Formula::Kind::constant:
            return formula.value ? then : otherwise;
        case Formula::Kind::comparison: {
            const auto end = [&] { return static_cast<std::uint32_t>(terms_.size()); };
            const std::uint32_t first = end();
            terms_.insert(terms_.end(), formula.sum.tokens.begin(), formula.sum.tokens.end());
            const std::uint32_t firings = end();
            terms_.insert(terms_.end(), formula.sum.firings.begin(), formula.sum.firings.end());
            tests_.push_back(
                {first, firings, end(), formula.sum.constant, then, otherwise, formula.relation});
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

bool Condition::holds(std::span<const Tokens> marking, std::span<const std::uint64_t> firings) const {
    return evaluate([&](std::uint32_t place) { return marking[place]; },
                    [&](std::uint32_t transition) { return firings[transition]; });
}

Condition parse_condition(std::string_view text, const Net& net) {
    return {parse_formula(text, net, FormulaLanguage::of_runs), net};
}

}  // namespace warpnet
