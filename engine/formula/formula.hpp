#pragma once

#include "engine/net/net.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpnet {

/// The comparison of two sums.
enum class Relation : std::uint8_t { equal, not_equal, less, less_equal, greater, greater_equal };

/// A sum of tokens and firings with integer coefficients, plus a constant. Coefficients are at most 2^31-1 in
/// magnitude, so that no sum overflows 128 bits.
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

/// A statement about a marking: comparisons of sums of tokens, the enabledness of transitions, and temporal
/// operators (CTL [Clarke86]). A value.
///
/// Paths are maximal: infinite, or ended by a dead marking. In a dead marking `next` is false on some path
/// and true on all paths; `globally` holds there if its operand does.
struct Formula {
    enum class Kind : std::uint8_t {
        constant,     ///< `value`
        comparison,   ///< `sum` against 0
        enabled,      ///< the arcs of one of `transitions` let it fire; priorities are ignored
        dead,         ///< no transition can fire
        negation,     ///< not the operand
        conjunction,  ///< all operands
        disjunction,  ///< at least one operand
        next,         ///< after one step; a path operator, like those below
        finally,      ///< now or later
        globally,     ///< now and forever
        until,        ///< the second operand now or later, and the first one until then
    };
    Kind kind = Kind::constant;
    bool value = true;
    bool on_all_paths = false;  ///< of a path operator: on all paths rather than on some path
    Relation relation = Relation::equal;
    LinearSum sum = {};
    std::vector<std::uint32_t> transitions = {};
    std::vector<Formula> operands = {};
    bool operator==(const Formula&) const = default;
};

Formula constant(bool value);
/// Compares `sum` with 0.
Formula comparison(LinearSum sum, Relation relation);
Formula enabled_one_of(std::vector<std::uint32_t> transitions);
Formula dead_marking();
Formula negation(Formula operand);
/// A single operand is returned unchanged.
Formula conjunction(std::vector<Formula> operands);
Formula disjunction(std::vector<Formula> operands);
/// One of next, finally, globally and until, on all paths or on some path.
Formula temporal(Formula::Kind kind, bool on_all_paths, std::vector<Formula> operands);

bool is_constant(const Formula& formula, bool value);
/// Whether it depends on one marking only, without next, finally, globally and until.
bool is_state_formula(const Formula& formula);
/// Whether some sum counts firings, which a marking does not determine.
bool counts_firings(const Formula& formula);

/// An equivalent formula with comparisons, constants, negation, conjunction and disjunction only: `enabled`
/// and `dead` become conditions on the places around transitions.
Formula without_transitions(const Formula& state_formula, const Net& net);

/// The comparison that holds if and only if this one does not.
Relation opposite(Relation relation) noexcept;

/// Large enough for every LinearSum.
__extension__ using WideSum = __int128;

/// Whether a value compared with 0 satisfies the relation.
constexpr bool compares(WideSum value, Relation relation) noexcept {
    switch (relation) {
        case Relation::equal:
            return value == 0;
        case Relation::not_equal:
            return value != 0;
        case Relation::less:
            return value < 0;
        case Relation::less_equal:
            return value <= 0;
        case Relation::greater:
            return value > 0;
        case Relation::greater_equal:
            return value >= 0;
    }
    return false;
}

/// A question about the reachable markings of a net.
struct Property {
    enum class Kind : std::uint8_t {
        formula,     ///< does `formula` hold in the initial marking?
        maximum,     ///< the largest value of `sum` in a reachable marking
        minimum,     ///< the smallest
        stable,      ///< is there a place whose tokens never change?
        quasi_live,  ///< can each of `transitions` fire in some reachable marking?
        live,        ///< can each of `transitions` fire again from every reachable marking?
        bounded,     ///< is the number of tokens of every place bounded?
    };
    std::string id;
    Kind kind = Kind::formula;
    Formula formula = {};
    LinearSum sum = {};
    std::vector<std::uint32_t> transitions = {};
};

}  // namespace warpnet
