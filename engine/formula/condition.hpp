#pragma once

#include "engine/formula/formula.hpp"
#include "engine/formula/parse_formula.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace warpnet {

/// The value of a sum of tokens. `tokens(place)` returns those of a place. O(terms).
template <class TokensOf>
WideSum value_of(const LinearSum& sum, TokensOf&& tokens) {
    WideSum value = sum.constant;
    for (const auto [place, coefficient] : sum.tokens) value += WideSum{coefficient} * tokens(place);
    return value;
}

/// A formula about one marking, and about the firings so far if it counts any, compiled for evaluation.
class Condition {
  public:
    /// REQUIRES: is_state_formula(). O(size of the formula and of the arcs in it).
    Condition(const Formula& formula, const Net& net);

    /// `tokens(place)` returns the tokens of a place in the marking. REQUIRES: the formula counts no firings.
    template <class TokensOf>
    bool holds(TokensOf&& tokens) const {
        return evaluate(tokens, [](std::uint32_t) { return 0; });
    }
    /// `firings` may be empty if no transition is mentioned.
    bool holds(std::span<const Tokens> marking, std::span<const std::uint64_t> firings) const;

    /// The places and transitions that it mentions, ascending. Its truth changes only if one of them changes
    /// or fires.
    std::span<const std::uint32_t> places() const noexcept { return places_; }
    std::span<const std::uint32_t> transitions() const noexcept { return transitions_; }

  private:
    static constexpr std::uint32_t no = 0xFFFF'FFFE, yes = 0xFFFF'FFFF;

    struct Test {
        std::uint32_t first, firings, last;  // of its terms: those of tokens, then those of firings
        std::int64_t constant;
        std::uint32_t then, otherwise;
        Relation relation;
    };

    template <class TokensOf, class FiringsOf>
    bool evaluate(TokensOf&& tokens, FiringsOf&& firings) const {
        std::uint32_t at = start_;
        while (at < no) {
            const Test& test = tests_[at];
            WideSum value = test.constant;
            for (std::uint32_t i = test.first; i < test.firings; ++i)
                value += WideSum{terms_[i].coefficient} * tokens(terms_[i].node);
            for (std::uint32_t i = test.firings; i < test.last; ++i)
                value += WideSum{terms_[i].coefficient} * firings(terms_[i].node);
            at = compares(value, test.relation) ? test.then : test.otherwise;
        }
        return at == yes;
    }
    std::uint32_t add(const Formula& formula, std::uint32_t then, std::uint32_t otherwise);

    std::vector<Test> tests_;
    std::vector<LinearSum::Term> terms_;
    std::uint32_t start_ = yes;
    std::vector<std::uint32_t> places_, transitions_;
};

/// Parses a condition that can end a run, in the language of parse_formula(). Throws ConditionError.
Condition parse_condition(std::string_view text, const Net& net);

}  // namespace warpnet
