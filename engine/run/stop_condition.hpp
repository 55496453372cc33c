#pragma once

#include "engine/net/net.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// How two sums are compared.
enum class Relation : std::uint8_t { equal, not_equal, less, less_equal, greater, greater_equal };

/// A sum of tokens and firings with whole coefficients, plus a constant.
struct LinearSum {
    struct Term {
        std::uint32_t node;  ///< a place or a transition
        std::int64_t coefficient;
    };
    std::vector<Term> tokens;   ///< of places
    std::vector<Term> firings;  ///< of transitions, since the start of the run
    std::int64_t constant = 0;
};

/// What ends a run in the first marking where it holds: comparisons of sums, joined by and, or, not. Made by
/// parse_condition() or by hand; a value.
///
/// Coefficients are at most 2^31-1 in magnitude, so that no sum can overflow 128 bits.
class StopCondition {
  public:
    /// `sum` against 0.
    static StopCondition compare(LinearSum sum, Relation relation);
    static StopCondition both(StopCondition a, const StopCondition& b);
    static StopCondition either(StopCondition a, const StopCondition& b);
    static StopCondition negation(StopCondition a);

    /// `firings` may be empty where no transition is mentioned. O(size of the condition).
    bool holds(std::span<const Tokens> marking, std::span<const std::uint64_t> firings) const;

    /// The places and transitions that it looks at, ascending: while none of them changes or fires, its truth
    /// does not change either.
    std::span<const std::uint32_t> places() const noexcept { return places_; }
    std::span<const std::uint32_t> transitions() const noexcept { return transitions_; }

  private:
    enum class Kind : std::uint8_t { comparison, both, either, negation };
    struct Node {
        Kind kind;
        Relation relation = Relation::equal;
        std::uint32_t left = 0;   // index of a node; of the sum in a comparison
        std::uint32_t right = 0;  // index of a node
    };

    static StopCondition join(StopCondition a, const StopCondition& b, Kind kind);
    bool node_holds(const Node& node, std::span<const Tokens> marking,
                    std::span<const std::uint64_t> firings) const;

    std::vector<Node> nodes_;  // operands before operators; the last one is the whole
    std::vector<LinearSum> sums_;
    std::vector<std::uint32_t> places_, transitions_;
};

}  // namespace warpnet
