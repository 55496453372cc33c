#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/executors/pivots/sequences.hpp"
#include "engine/run/executor.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace warpnet {

/// The demand of each member of a class on one hub.
struct HubDemand {
    std::uint32_t hub;
    std::int32_t weight;
    auto operator<=>(const HubDemand&) const = default;  // NOLINT(modernize-use-nullptr): false alarm
};

/// The classes that each hub can serve, by its number of tokens. With more tokens a hub serves more classes.
/// The different weights that classes demand from it divide its token counts into *levels*, and each level
/// has one bit per class that the hub serves there. The classes that all hubs serve are then a conjunction of
/// words, one word per hub.
class HubLevels {
  public:
    /// Up to this many levels, which suffice for most hubs, are compared without a loop.
    static constexpr std::size_t usual = 3;

    /// The levels of one hub. `first` and then `others` list the largest token count of each level,
    /// ascending.
    struct Levels {
        std::array<std::int32_t, usual> first;
        std::span<const std::int32_t> others;
        const std::uint64_t* served;  ///< one row of words per level

        /// The level of a token count. Linear in the number of levels. It has no branches, because token
        /// counts are unpredictable and branches would be mispredicted.
        std::size_t at(Tokens tokens) const noexcept {
            std::size_t level =
                (tokens > first[0] ? 1U : 0U) + (tokens > first[1] ? 1U : 0U) + (tokens > first[2] ? 1U : 0U);
            for (const std::int32_t too_few : others) level += tokens > too_few ? 1U : 0U;
            return level;
        }
    };

    /// `demands`: per class, on distinct hubs.
    HubLevels(std::uint32_t hubs, const Rows<HubDemand>& demands);
    HubLevels() = default;

    /// The number of words that hold one bit per class.
    std::size_t words() const noexcept { return words_; }
    /// Valid until this object moves.
    Levels of(std::uint32_t hub) const noexcept {
        const auto too_few = too_few_[hub];
        return {{too_few[0], too_few[1], too_few[2]},
                too_few.subspan(usual),
                served_.data() + first_served_[hub]};
    }
    /// The hubs on which the classes of a word have demands.
    std::span<const std::uint32_t> hubs_of(std::size_t word) const noexcept { return hubs_of_[word]; }

  private:
    std::size_t words_ = 0;
    Rows<std::int32_t> too_few_;             // per hub: `usual` or more
    std::vector<std::size_t> first_served_;  // per hub
    std::vector<std::uint64_t> served_;
    Rows<std::uint32_t> hubs_of_;  // per word
};

/// The refill of a rate: a transition without inputs that gives tokens to one hub and to no other place, and
/// is enabled while that hub has fewer tokens than `cap`.
struct HubRefill {
    std::uint32_t transition;
    std::uint32_t hub;
    std::int32_t gives;
    std::int32_t cap;
};

/// A condition of a transition on a place. Conditions on the pivot and demands on hubs are kept elsewhere.
struct PivotCondition {
    std::uint32_t place;
    std::int32_t threshold;  ///< see Watch
    std::uint32_t transition;
};

/// A demand class: transitions of one priority level that are interchangeable in a conflict.
struct PivotClass {
    std::uint32_t priority_level = 0;
    /// One past the last class of its *cluster*. A cluster consists of classes of one priority level whose
    /// members may compete with each other for some place.
    std::uint32_t end_of_cluster = 0;
    std::uint32_t first_member = 0;  ///< in ClassMembers, with space for all members
    /// Whether other firings of a step may take the tokens of a member from places that are no hubs.
    bool contested = false;
    bool alternatives = false;  ///< whether a member may be one of several operations at its station
    bool free = false;          ///< whether its members compete with no other transition
};

/// A transition as the pivot executor reads it: its class, and the first positions of its rows. A row ends at
/// the beginning of the next transition's row.
struct PivotTransition {
    std::uint32_t number;  ///< its class
    std::uint32_t first_take, first_contested, first_give, first_condition;
};

/// A place as the pivot executor keeps it.
struct PivotPlace {
    /// Unused for a hub, for a place of a sequence, and for `wait` of a delay that belongs to a sequence.
    Tokens tokens = 0;
    /// The first condition in the list of the place. For a station its number, for an owned place its
    /// sequence.
    std::uint32_t first_link = 0xffffffff;
    std::uint16_t kind = 0;    ///< PivotNet::Kind
    std::uint16_t number = 0;  ///< the number of a hub; the condition of an owned place

    /// Whether everything but the tokens is equal.
    bool is_like(const PivotPlace& other) const noexcept {
        return first_link == other.first_link && kind == other.kind && number == other.number;
    }
};

/// A net as the pivot executor reads it. The *pivot* of a transition is the input place with the fewest
/// consumers, hubs excluded. It is the program counter of a warp, for example, rather than a place that all
/// operations of the warp need. Only transitions with a marked pivot are examined. For operations of a
/// sequence, whose pivots are stations, the rows list only the places outside their sequence.
struct PivotNet {
    /// The effects of a change of a place on other nodes, as bits.
    enum Kind : std::uint16_t {
        pivot = 1,    ///< of some transition that is no operation
        watched = 2,  ///< a PivotCondition or an external condition of a sequence depends on it
        graded = 4,   ///< one of these conditions has a threshold other than 1 and -1
        wait = 8,     ///< of a delay gadget
        hub = 16,
        station = 32,  ///< of a sequence
        owned = 64,    ///< by a sequence
    };

    static constexpr std::size_t most_refills = 64;

    Sequences sequences;
    std::vector<PivotPlace> places;  ///< with the initial marking
    Rows<std::uint32_t> activates;   ///< per place: the transitions with this pivot, without operations
    /// The places that activate transitions initially: they are marked, and they are not `wait` of a running
    /// delay.
    std::vector<std::uint32_t> marked;
    /// Transitions without a pivot: they take tokens from hubs only, or from no place.
    std::vector<std::uint32_t> always;
    std::vector<PivotTransition> transitions;  ///< and one past the last
    std::vector<PlaceWeight> takes;            ///< inputs, hubs excluded
    std::vector<PlaceWeight> contested;  ///< inputs that other transitions take from, too; hubs excluded
    std::vector<PlaceWeight> gives;      ///< outputs
    std::vector<PivotCondition> conditions;
    std::vector<std::uint32_t> hubs;  ///< their places
    std::vector<HubRefill>
        refills;  ///< at most most_refills; any further refill is treated like an ordinary transition
    std::vector<PivotClass>
        classes;  ///< by priority level, then by cluster; the class of refills, if any, comes last
    Rows<HubDemand> demands;  ///< per class
    HubLevels levels;
    /// The classes of immediate transitions and those of timed transitions without refills, one bit each.
    std::vector<std::uint64_t> immediate_classes, timed_classes;
    std::uint32_t class_of_refills = 0;  ///< has no priority level; comes after all other classes

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

/// Prepares a net with immediate transitions or priorities for the pivot executor. Returns null if the net
/// has neither, or has too many different demands on hubs. A place is a hub here if it has more than
/// `hub_consumers` consumers that belong to several sequences. O(n log n) in arcs.
std::shared_ptr<const PivotNet> find_pivots(const CompiledNet& net, std::uint32_t hub_consumers);

/// The pivot executor, for maximal steps, no stop condition and a policy that does not depend on earlier
/// firings. A firing costs its arcs, a draw, and the conditions on the places that it empties or marks; only
/// conditions of active transitions count. A step costs the classes that hubs can serve.
std::unique_ptr<RunInProgress> begin_pivot_run(const CompiledNet& net, const PivotNet& pivots,
                                               const RunOptions& options, Observer* observer);

}  // namespace warpnet
