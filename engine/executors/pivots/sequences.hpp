#pragma once

#include "engine/base/no_index.hpp"
#include "engine/compile/compiled_net.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// Finds sets of places that share one token. Such a set holds at most one token in the initial marking, and
/// no firing gives it a token without taking one from it. The program counters of a warp are an example. (The
/// place `wait` of a delay gadget counts as holding one token, although the gadget keeps more tokens there
/// while it runs.)
///
/// Every set that is found is proven, because the two conditions above form an inductive invariant. It is a
/// place invariant with weights 0 and 1 in which the firings may lose tokens. The search is incomplete: it
/// grows a set from one place and never backtracks. All sets of a net together cost O(arcs) work, since a
/// budget ends the search.
class ExclusivePlaces {
  public:
    explicit ExclusivePlaces(const CompiledNet& net);

    /// A set that contains this place, ascending; empty if none is found.
    std::vector<std::uint32_t> around(std::uint32_t place);
    /// The consumers of a place.
    std::span<const std::uint32_t> consumers(std::uint32_t place) const { return consumers_[place]; }

  private:
    bool add(std::uint32_t place);
    bool balance(std::uint32_t transition);
    std::uint32_t choose_input(std::uint32_t transition);
    bool is_hopeless(std::uint32_t place);
    std::uint32_t nearest_candidate();
    void reach(std::uint32_t place);
    bool is_inside(std::uint32_t place) const { return set_of_[place] == set_; }
    bool is_balanced_with(std::uint32_t place);
    /// The token that waits in a gadget has become `length` tokens when the gadget ends.
    Tokens taken_by(std::uint32_t transition, std::int32_t weight) const {
        return is_done_[transition] != 0 ? 1 : weight;
    }
    Tokens taken(std::uint32_t transition) const;
    Tokens given(std::uint32_t transition) const;
    Tokens tokens_in(std::uint32_t place) const { return is_wait_[place] != 0 ? 1 : net_.initial[place]; }

    const CompiledNet& net_;
    Rows<std::uint32_t> consumers_;           // per place
    Rows<std::uint32_t> producers_;           // per place; without the tick of a gadget
    std::vector<std::uint8_t> is_done_;       // per transition: it ends a gadget
    std::vector<std::uint8_t> is_wait_;       // per place: it belongs to a gadget that runs initially
    std::vector<std::uint32_t> set_of_;       // per place: the last set that contained it
    std::vector<std::uint32_t> hopeless_in_;  // per place: the last set that could not contain it
    /// Per place: the producer that was last found unbalanced. It is checked first.
    std::vector<std::uint32_t> unbalanced_;
    std::vector<std::uint32_t> reached_in_;  // per place: the last set whose search reached it
    std::vector<std::size_t> distance_;      // per place: position in reached_
    std::size_t work_left_;                  // rows of transitions that may still be read
    // The set under construction.
    std::uint32_t set_ = 0;
    Tokens tokens_ = 0;
    std::vector<std::uint32_t> places_;
    std::vector<std::uint32_t> candidates_;
    std::vector<std::uint32_t> reached_;  // nearest first
    std::size_t expanded_ = 0;            // how many of them have been expanded
};

/// The sequences of a net. A *sequence* is a process with a program counter. Its *stations* are places that
/// hold at most one token in total (ExclusivePlaces). Its *operations* are the transitions that take this
/// token, each from one station. At most one operation of a sequence fires per step, and only the operations
/// of one station need to be examined. Their other dependencies, except for demands on hubs, form a word of
/// up to 64 bits, the *conditions* of the sequence. Whether an operation is a candidate is then one
/// comparison of words.
struct Sequences {
    static constexpr std::uint32_t most_operations = 32;  ///< per station

    struct Station {
        std::uint32_t place;
        std::uint32_t sequence;
        std::uint32_t first_operation = 0;  ///< in Sequences::operations
        std::uint16_t operations = 0;
        bool plain = false;        ///< whether its operations depend only on `common`
        std::uint64_t common = 0;  ///< the conditions that all its operations need
    };

    /// The conditions of their sequence that operations require, and the changes that they make to them.
    /// Operations with equal rules share one.
    struct Rule {
        std::uint64_t asked = 0;             ///< the conditions that matter
        std::uint64_t held = 0;              ///< those of them that must hold; the rest of `asked` must not
        std::uint64_t ended = 0, begun = 0;  ///< changes of conditions that are tokens of owned places
        auto operator<=>(const Rule&) const = default;  // NOLINT(modernize-use-nullptr): false alarm
    };

    struct alignas(32) Operation {
        std::uint32_t transition = no_index;
        std::uint32_t sequence = no_index;
        std::uint32_t to = no_index;  ///< the next station; no_index: the operation leaves the sequence
        std::uint32_t next = 0;       ///< the first operation at the next station
        std::uint32_t number = 0;     ///< its class, see PivotNet
        std::uint32_t rule = 0;
        std::uint32_t first_start = 0;  ///< the delays that it starts, in `starts`
        std::uint16_t start_count = 0;
        bool rests = false;  ///< it ends a condition that all operations at the next station need
        bool apart = false;  ///< it touches only its sequence, its delays and hubs
    };

    /// A delay gadget that never holds a second token and gives tokens to its sequence only. A gadget of
    /// another kind has no sequence.
    struct Delay {
        std::uint32_t sequence = no_index;
        std::uint32_t to = no_index;  ///< the station that it marks
        std::uint32_t length = 0;     ///< steps
        std::uint64_t begun = 0;      ///< the conditions that it makes true
    };

    /// A place that never holds more than one token and whose consumers and testers are all operations of one
    /// sequence. Its token is a condition of the sequence.
    struct Owned {
        std::uint32_t place;
        std::uint32_t sequence;
        std::uint8_t bit;
    };

    /// A condition on a place that the sequence does not own.
    struct ExternalCondition {
        std::uint32_t sequence;
        std::int32_t threshold;  ///< see Watch
        std::uint8_t bit;
    };

    /// A sequence in the initial marking.
    struct Begin {
        std::uint64_t holds = 0;           ///< conditions that hold
        std::uint32_t station = no_index;  ///< the station with the token
    };

    std::uint32_t size = 0;
    std::vector<Station> stations;      ///< by sequence
    std::vector<Operation> operations;  ///< by station
    std::vector<Rule> rules;
    std::vector<Delay> delays;          ///< per gadget
    std::vector<std::uint32_t> starts;  ///< gadgets
    std::vector<Owned> owned;
    Rows<ExternalCondition> external;         ///< per place
    std::vector<Begin> initially;             ///< per sequence
    std::vector<std::uint32_t> sequence_of;   ///< per place: the sequence of the station or owned place
    std::vector<std::uint32_t> operation_of;  ///< per transition; no_index if it belongs to no sequence

    bool is_operation(std::uint32_t transition) const noexcept {
        return operation_of[transition] != no_index;
    }
    /// The gadgets that an operation starts.
    std::span<const std::uint32_t> starts_of(const Operation& operation) const noexcept {
        return {starts.data() + operation.first_start, operation.start_count};
    }
    const Rule& rule_of(const Operation& operation) const noexcept { return rules[operation.rule]; }
    std::span<const Operation> operations_at(const Station& station) const noexcept {
        return std::span(operations).subspan(station.first_operation, station.operations);
    }
};

/// The sequences of a net with at least two stations. `pivots`: per transition its pivot, or no_index;
/// `hubs`: per place, 0 if it is no hub. O(n log n) in arcs.
Sequences find_sequences(const CompiledNet& net, std::span<const std::uint32_t> pivots,
                         std::span<const std::uint32_t> hubs);

}  // namespace warpnet
