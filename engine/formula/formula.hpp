#pragma once

#include "engine/net/net.hpp"

#include <cstdint>
#include <vector>

namespace warpnet {

/// How two sums are compared.
enum class Relation : std::uint8_t { equal, not_equal, less, less_equal, greater, greater_equal };

/// A sum of tokens and firings with whole coefficients, plus a constant. Coefficients are at most 2^31-1 in
/// magnitude, so that no sum can overflow 128 bits.
struct LinearSum {
    struct Term {
        std::uint32_t node;  ///< a place or a transition
        std::int64_t coefficient;
        bool operator==(const Term&) const = default;
    };
    std::vector<Term> tokens;   ///< of places
    std::vector<Term> firings;  ///< of transitions, since the start of the run
    std::int64_t constant = 0;
    bool operator==(const LinearSum&) const = default;
};

/// A statement about a marking: comparisons of sums of tokens, whether transitions are enabled, and what may
/// or must happen afterwards (CTL [Clarke86]). A value.
///
/// Paths are maximal: endless, or ended by a dead marking. In a dead marking `next` on some path is false and
/// on all paths true; `globally` holds there if its operand does.
struct Formula {
    enum class Kind : std::uint8_t {
        constant,     ///< `value`
        comparison,   ///< `sum` against 0
        enabled,      ///< the arcs of one of `transitions` let it fire, priorities disregarded
        dead,         ///< no transition can fire
        negation,     ///< of the operand
        conjunction,  ///< of all operands
        disjunction,  ///< of some operand
        next,         ///< after one step; of paths, as the following ones
        finally,      ///< sooner or later, perhaps now
        globally,     ///< now and for ever
        until,        ///< the second operand sooner or later, and the first one up to then
    };
    Kind kind = Kind::constant;
    bool value = true;
    bool on_all_paths = false;  ///< of the last four: on all paths, or on some path
    Relation relation = Relation::equal;
    LinearSum sum = {};
    std::vector<std::uint32_t> transitions = {};
    std::vector<Formula> operands = {};
    bool operator==(const Formula&) const = default;
};

Formula constant(bool value);
/// `sum` against 0.
Formula comparison(LinearSum sum, Relation relation);
Formula enabled_one_of(std::vector<std::uint32_t> transitions);
Formula dead_marking();
Formula negation(Formula operand);
/// One operand is given back as it is.
Formula conjunction(std::vector<Formula> operands);
Formula disjunction(std::vector<Formula> operands);
/// One of next, finally, globally and until, on all paths or on some.
Formula temporal(Formula::Kind kind, bool on_all_paths, std::vector<Formula> operands);

/// Whether it speaks of one marking alone: no next, finally, globally, until.
bool is_state_formula(const Formula& formula);
/// Whether some sum counts firings, which no marking knows.
bool counts_firings(const Formula& formula);

/// The same with comparisons, constants, negation, conjunction and disjunction alone: `enabled` and `dead`
/// become conditions on the places around transitions.
Formula without_transitions(const Formula& state_formula, const Net& net);

/// The comparison that holds exactly where this one does not.
Relation opposite(Relation relation) noexcept;

}  // namespace warpnet
