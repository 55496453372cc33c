#pragma once

#include "engine/formula/formula.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// A condition that ends a run in the first marking in which it holds: comparisons of sums, combined by and,
/// or, not. Made by parse_condition() or from a Formula; a value.
class StopCondition {
  public:
    /// Compares `sum` with 0.
    static StopCondition compare(LinearSum sum, Relation relation);
    static StopCondition both(StopCondition a, const StopCondition& b);
    static StopCondition either(StopCondition a, const StopCondition& b);
    static StopCondition negation(StopCondition a);

    /// `firings` may be empty if no transition is mentioned. O(size of the condition).
    bool holds(std::span<const Tokens> marking, std::span<const std::uint64_t> firings) const;

    /// The places and transitions that it mentions, ascending. Its truth changes only if one of them changes
    /// or fires.
    std::span<const std::uint32_t> places() const noexcept { return places_; }
    std::span<const std::uint32_t> transitions() const noexcept { return transitions_; }

  private:
    enum class Kind : std::uint8_t { comparison, both, either, negation };
    struct Node {
        Kind kind;
        Relation relation = Relation::equal;
        std::uint32_t left = 0;   // index of a node; in a comparison, of the sum
        std::uint32_t right = 0;  // index of a node
    };

    static StopCondition join(StopCondition a, const StopCondition& b, Kind kind);
    bool node_holds(const Node& node, std::span<const Tokens> marking,
                    std::span<const std::uint64_t> firings) const;

    std::vector<Node> nodes_;  // operands before operators; the last node is the root
    std::vector<LinearSum> sums_;
    std::vector<std::uint32_t> places_, transitions_;
};

/// REQUIRES: only comparisons, constants, negation, conjunction and disjunction (without_transitions()).
StopCondition stop_condition(const Formula& formula);

}  // namespace warpnet
