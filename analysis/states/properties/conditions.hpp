#pragma once

#include "engine/formula/formula.hpp"
#include "engine/formula/relation.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace warpnet {

/// The value of a sum of tokens. `tokens(place)` returns those of a place. O(terms).
template <class TokensOf>
WideSum value_of(const LinearSum& sum, TokensOf&& tokens) {
    WideSum value = sum.constant;
    for (const auto [place, coefficient] : sum.tokens) value += WideSum{coefficient} * tokens(place);
    return value;
}

/// A formula about one marking, as a chain of comparisons each of which names the next one. Evaluates no
/// comparison that cannot matter any more.
class MarkingCondition {
  public:
    /// REQUIRES: is_state_formula(), no firings. O(size of the formula and of the arcs in it).
    MarkingCondition(const Formula& formula, const Net& net);

    /// `tokens(place)` returns the tokens of a place in the marking.
    template <class TokensOf>
    bool holds(TokensOf&& tokens) const {
        std::uint32_t at = start_;
        while (at < no) {
            const Test& test = tests_[at];
            WideSum value = test.constant;
            for (std::uint32_t i = test.first; i < test.last; ++i)
                value += WideSum{terms_[i].coefficient} * tokens(terms_[i].node);
            at = compares(value, test.relation) ? test.then : test.otherwise;
        }
        return at == yes;
    }

  private:
    static constexpr std::uint32_t no = 0xFFFF'FFFE, yes = 0xFFFF'FFFF;

    struct Test {
        std::uint32_t first, last;  // of its terms
        std::int64_t constant;
        std::uint32_t then, otherwise;
        Relation relation;
    };

    std::uint32_t add(const Formula& formula, std::uint32_t then, std::uint32_t otherwise);

    std::vector<Test> tests_;
    std::vector<LinearSum::Term> terms_;
    std::uint32_t start_ = yes;
};

/// An equivalent formula with fewer path operators, such as EF p or EF q for EF (p or EF q). The rules hold
/// in every state of every graph (Bonneland, Dyhr, Jensen, Johannsen, Srba, "Simplification of CTL formulae
/// for efficient model checking of Petri nets", Petri Nets 2018, section 3).
Formula simplified(const Formula& formula);

/// The knowledge about the reachable markings: whether some marking has a condition, or nothing.
using ReachKnowledge = std::function<std::optional<bool>(const Formula& condition)>;

/// Whether a formula holds in a marking, if that follows from the marking and from the knowledge about the
/// markings that can be reached from it; REQUIRES: no firings.
std::optional<bool> holds_in(const Formula& formula, const Net& net, const Marking& marking,
                             const ReachKnowledge& reachable);

/// Whether a formula is a combination of conditions on some, or on every, reachable marking.
bool asks_about_markings(const Formula& formula);

/// Adds the conditions on single markings in a formula, except constants.
void add_conditions(const Formula& formula, std::vector<Formula>& conditions);

}  // namespace warpnet
