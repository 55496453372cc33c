#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/executors/pivots/hub_levels.hpp"
#include "engine/executors/pivots/sequences.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace warpnet {

/// The refill of a rate: a transition without inputs that gives to one hub alone, as long as that has fewer
/// tokens than `cap`.
struct HubRefill {
    std::uint32_t transition;
    std::uint32_t hub;
    std::int32_t gives;
    std::int32_t cap;
};

/// A condition of a transition on a place, other than that its pivot is marked and that hubs can serve it.
struct PivotCondition {
    std::uint32_t place;
    std::int32_t threshold;  ///< see Watch
    std::uint32_t transition;
};

/// Transitions of one priority level that are interchangeable in a conflict.
struct PivotClass {
    std::uint32_t priority_level = 0;
    /// Its *component*, classes of a priority level whose members may compete with each other for some place,
    /// ends before this one.
    std::uint32_t end_of_component = 0;
    std::uint32_t first_member = 0;  ///< room for all its members
    /// A member may find that others have taken its tokens from places that are no hubs.
    bool contested = false;
    bool alternatives = false;  ///< a member may be one of several operations of its station
    bool free = false;          ///< its members compete with nobody
};

/// A transition as the executor of pivots reads it: its class, and where its rows begin. The rows end where
/// those of the next one begin.
struct PivotTransition {
    std::uint32_t number;  ///< of its class
    std::uint32_t first_take, first_contested, first_give, first_condition;
};

/// A place as the executor of pivots keeps it.
struct PivotPlace {
    /// Of a hub, a place of a sequence, or `wait` of a delay of one: not kept.
    Tokens tokens = 0;
    /// The first condition in its list; of a station its number; of an owned place its sequence.
    std::uint32_t first_link = 0xffffffff;
    std::uint16_t kind = 0;    ///< PivotNet::Kind
    std::uint16_t number = 0;  ///< of a hub; of an owned place: its condition

    /// But for its tokens.
    bool is_like(const PivotPlace& other) const noexcept {
        return first_link == other.first_link && kind == other.kind && number == other.number;
    }
};

/// A net as the executor of pivots reads it. The *pivot* of a transition is that of its input places, hubs
/// left out, which has the fewest consumers: the program counter of a warp rather than what all its
/// operations need. Only transitions whose pivot is marked are looked at. Those of sequences, whose pivots
/// are stations, have rows of what is not in their sequence only.
struct PivotNet {
    /// What a change of a place means for others, in bits.
    enum Kind : std::uint16_t {
        pivot = 1,    ///< of some transition that is no operation
        watched = 2,  ///< a PivotCondition is on it, or Sequences::told has something
        graded = 4,   ///< one of those has another threshold than 1 and -1
        wait = 8,     ///< of a delay gadget
        hub = 16,
        station = 32,  ///< of a sequence
        owned = 64,    ///< by a sequence
    };

    static constexpr std::size_t most_refills = 64;

    Sequences sequences;
    std::vector<PivotPlace> places;  ///< in the initial marking
    Rows<std::uint32_t> called;      ///< per place: the transitions whose pivot it is, operations left out
    /// The places that call somebody initially: marked, and not `wait` of a delay that runs.
    std::vector<std::uint32_t> marked;
    /// Transitions without a pivot: they take from hubs alone, or nothing.
    std::vector<std::uint32_t> always;
    std::vector<PivotTransition> transitions;  ///< and one past the last
    std::vector<PlaceWeight> takes;            ///< inputs, hubs left out
    std::vector<PlaceWeight> contested;        ///< inputs that others take, too, hubs left out
    std::vector<PlaceWeight> gives;            ///< outputs
    std::vector<PivotCondition> conditions;
    std::vector<std::uint32_t> hubs;  ///< their places
    std::vector<HubRefill> refills;   ///< most_refills at most; others are like other transitions
    std::vector<PivotClass> classes;  ///< by priority level, then by component; last, if any, that of refills
    Rows<HubDemand> demands;          ///< per class
    HubLevels levels;
    /// The classes of immediate and those of timed transitions, but refills, a bit each.
    std::vector<std::uint64_t> immediate_classes, timed_classes;
    std::uint32_t class_of_refills = 0;  ///< in no priority level; behind all others

    std::span<const PlaceWeight> takes_of(std::uint32_t t) const noexcept {
        return {takes.data() + transitions[t].first_take, takes.data() + transitions[t + 1].first_take};
    }
    std::span<const PlaceWeight> contested_of(std::uint32_t t) const noexcept {
        return {contested.data() + transitions[t].first_contested,
                contested.data() + transitions[t + 1].first_contested};
    }
    std::span<const PlaceWeight> gives_of(std::uint32_t t) const noexcept {
        return {gives.data() + transitions[t].first_give, gives.data() + transitions[t + 1].first_give};
    }
};

/// A net with immediate transitions or priorities as one of pivots; null where it has neither, or too many
/// different demands on hubs. A place is a hub here if it has more than `hub_consumers` consumers of
/// several sequences. O(n log n) in arcs.
std::shared_ptr<const PivotNet> find_pivots(const CompiledNet& net, std::uint32_t hub_consumers);

}  // namespace warpnet
