#pragma once

#include "engine/base/no_index.hpp"
#include "engine/compile/compiled_net.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

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

    /// What operations require of the conditions of their sequence, and how they change them. Operations with
    /// equal rules share one.
    struct Rule {
        std::uint64_t asked = 0;             ///< the conditions that matter
        std::uint64_t held = 0;              ///< those of them that must hold; the other ones must not
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
