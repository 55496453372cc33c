#pragma once

#include "engine/base/no_index.hpp"
#include "engine/compile/compiled_net.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// The sequences of a net. A *sequence* is a process with a program counter: its *stations* are places that
/// never hold more than one token in all (ExclusivePlaces), and its *operations* are the transitions that
/// take that token, each from one station. So one operation of a sequence fires in a step at most, and only
/// those of one station need be looked at. What they depend on besides, hubs left out, is a word of up to 64
/// bits, the *conditions* of the sequence.
struct Sequences {
    static constexpr std::uint32_t most_operations = 32;  ///< at a station

    struct Station {
        std::uint32_t place;
        std::uint32_t sequence;
        std::uint32_t first_operation = 0;  ///< in Sequences::operations
        std::uint16_t operations = 0;
        bool plain = false;        ///< all that its operations ask for is that `common` hold
        std::uint64_t common = 0;  ///< the conditions that all its operations need
    };

    /// What operations ask of the conditions of their sequence, and do to them. Equal rules are one.
    struct Rule {
        std::uint64_t asked = 0;                        ///< the conditions that matter …
        std::uint64_t held = 0;                         ///< … and those of them that must hold
        std::uint64_t ended = 0, begun = 0;             ///< those that are tokens of owned places
        auto operator<=>(const Rule&) const = default;  // NOLINT(modernize-use-nullptr): false alarm
    };

    struct alignas(32) Operation {
        std::uint32_t transition = no_index;
        std::uint32_t sequence = no_index;
        std::uint32_t to = no_index;  ///< the station it leads to; none: out of the sequence
        std::uint32_t next = 0;       ///< the first operation there
        std::uint32_t number = 0;     ///< of its class, see PivotNet
        std::uint32_t rule = 0;
        std::uint32_t first_start = 0;  ///< the delays that it starts, in `starts`
        std::uint16_t start_count = 0;
        bool rests = false;  ///< it ends a condition that all operations at the next station need
        bool apart = false;  ///< it has to do with its sequence, its delays and hubs alone
    };

    /// A delay gadget that never holds a second token, and gives to its sequence alone when it ends: of no
    /// sequence where it is not of that kind.
    struct Delay {
        std::uint32_t sequence = no_index;
        std::uint32_t to = no_index;  ///< the station that it marks
        std::uint32_t length = 0;     ///< steps
        std::uint64_t begun = 0;      ///< the conditions
    };

    /// A place all of whose consumers and testers are operations of one sequence, and which never holds
    /// more than one token: whether it does is a condition.
    struct Owned {
        std::uint32_t place;
        std::uint32_t sequence;
        std::uint8_t bit;
    };

    /// A condition on any other place.
    struct Told {
        std::uint32_t sequence;
        std::int32_t threshold;  ///< see Watch
        std::uint8_t bit;
    };

    /// A sequence in the initial marking.
    struct Begin {
        std::uint64_t holds = 0;           ///< conditions
        std::uint32_t station = no_index;  ///< with the token
    };

    std::uint32_t size = 0;
    std::vector<Station> stations;      ///< by sequence
    std::vector<Operation> operations;  ///< by station
    std::vector<Rule> rules;
    std::vector<Delay> delays;          ///< per gadget
    std::vector<std::uint32_t> starts;  ///< gadgets
    std::vector<Owned> owned;
    Rows<Told> told;                          ///< per place
    std::vector<Begin> initially;             ///< per sequence
    std::vector<std::uint32_t> sequence_of;   ///< per place: whose station it is, or who owns it
    std::vector<std::uint32_t> operation_of;  ///< per transition; none for those of no sequence

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

/// The sequences of a net with two stations and more. `pivots`: per transition the input place, no hub, with
/// the fewest consumers, or Sequences::none; `hubs`: per place, 0 for those that are none. O(n log n) in
/// arcs.
Sequences find_sequences(const CompiledNet& net, std::span<const std::uint32_t> pivots,
                         std::span<const std::uint32_t> hubs);

}  // namespace warpnet
