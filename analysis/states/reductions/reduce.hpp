#pragma once

#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace warpnet::states {

/// The effect of a transition on a place under interleaving: it fires only if the place holds `needs` tokens
/// or more and fewer than `below`, and adds `change`. `needs + change >= 0`.
struct PlaceUse {
    static constexpr Tokens any_number = std::numeric_limits<Tokens>::max();

    std::uint32_t place = 0;
    Tokens needs = 0;
    Tokens change = 0;
    Tokens below = any_number;

    bool tests() const noexcept { return needs > 0 || below != any_number; }
    bool only_gives() const noexcept { return change > 0 && !tests(); }
    bool only_takes() const noexcept { return change < 0 && needs == -change && below == any_number; }
    bool operator==(const PlaceUse&) const = default;
};

using PlaceUses = std::vector<PlaceUse>;  ///< of a transition, sorted by place

/// The needs and changes of firing `first` and then `second`; nothing if no marking allows both, or if a
/// number exceeds 10⁹. O(uses).
std::optional<PlaceUses> one_after_the_other(const PlaceUses& first, const PlaceUses& second);

/// A net during its reduction: an ordinary net under interleaving without priorities. Its transitions
/// represent sequences of transitions of the original net. Places keep their numbers; added transitions get
/// new numbers, and no number is used twice.
class ReducedNet {
  public:
    /// `visible` places are those in the question. REQUIRES: no priorities or immediate transitions.
    ReducedNet(const Net& net, std::span<const std::uint32_t> visible);

    const Marking& initial() const noexcept { return initial_; }
    bool visible(std::uint32_t place) const { return visible_[place] != 0; }
    std::size_t place_numbers() const noexcept { return initial_.size(); }
    std::size_t transition_numbers() const noexcept { return uses_.size(); }
    bool has_place(std::uint32_t place) const { return place_there_[place] != 0; }
    bool has_transition(std::uint32_t transition) const { return transition_there_[transition] != 0; }
    const PlaceUses& uses(std::uint32_t transition) const { return uses_[transition]; }
    /// The transitions that use a place, ascending.
    const std::vector<std::uint32_t>& users(std::uint32_t place) const { return users_[place]; }
    /// All zero if the transition does not use the place. O(log uses).
    PlaceUse use(std::uint32_t transition, std::uint32_t place) const;
    /// Whether a place has an inhibitor arc.
    bool inhibits(std::uint32_t place) const { return inhibitors_[place] > 0; }

    void remove_transition(std::uint32_t transition);
    /// Removes the place and all uses of it.
    void remove_place(std::uint32_t place);
    /// Replaces the use of that place by the transition with `use`; a use that neither tests nor changes is
    /// removed.
    void set_use(std::uint32_t transition, PlaceUse use);
    /// A transition that is `first` and then `second` repeatedly; `first` may be repeated too.
    std::uint32_t add_sequence(std::uint32_t first, Tokens first_times, std::uint32_t second,
                               Tokens second_times, PlaceUses uses);
    /// Fires a transition from the initial marking the given number of times. REQUIRES: it can.
    void fire_at_start(std::uint32_t transition, Tokens times);

    /// The number of changes made.
    std::uint64_t changes() const noexcept { return changes_; }

    /// The reduced net as a Net. `place_of` receives its places by their numbers here (2^32-1: removed),
    /// `transitions` the numbers of its transitions. Nodes have the ids of `original` if it is given, which
    /// is the net that was reduced.
    Net net(std::vector<std::uint32_t>& place_of, std::vector<std::uint32_t>& transitions,
            const Net* original = nullptr) const;

    /// The transitions of the original net that these represent, from its initial marking; nothing if there
    /// are more than `most`.
    std::optional<std::vector<std::uint32_t>> expanded(std::span<const std::uint32_t> transitions,
                                                       std::size_t most) const;

  private:
    struct Sequence {
        std::uint32_t first, second;
        Tokens first_times, second_times;
    };
    void count(std::uint32_t transition, int sign);  // its inhibitor arcs
    bool expand(std::uint32_t transition, Tokens times, std::size_t most,
                std::vector<std::uint32_t>& all) const;

    Marking initial_;
    std::vector<std::uint8_t> visible_, place_there_, transition_there_;
    std::vector<PlaceUses> uses_;                    // per transition
    std::vector<std::vector<std::uint32_t>> users_;  // per place
    std::vector<int> inhibitors_;                    // per place: how many arcs
    std::size_t originals_;
    std::vector<Sequence> sequences_;                         // of the transitions from originals_ on
    std::vector<std::pair<std::uint32_t, Tokens>> at_start_;  // fired before the initial marking
    std::uint64_t changes_ = 0;
};

/// The properties to preserve, in addition to the token counts of visible places that can occur together.
enum class Kept : std::uint8_t {
    reachability,  ///< nothing: a net may lose and gain dead markings
    deadlocks,     ///< whether a dead marking can be reached
    paths,         ///< CTL formulas about visible places without `next` and `dead`
    steps,         ///< every CTL formula about visible places
};

/// Whether paths must be preserved, and not only sets of markings.
constexpr bool keeps_paths(Kept kept) noexcept { return kept == Kept::paths || kept == Kept::steps; }

// Each rule changes the net until it applies nowhere any more, or once everywhere it applies; the driver is
// reduce(). A rule is right if the reachable vectors of counts of the visible places stay the same, and under
// Kept::deadlocks also whether a dead marking can be reached. Under Kept::steps the graphs of all steps must
// be bisimilar, and under Kept::paths bisimilar up to steps that change nothing visible, which are finitely
// many in a row if they are added or removed. The sources have the arguments.

/// Transitions that can never fire. O(arcs).
void remove_dead_transitions(ReducedNet& net);

/// Tests that always pass, and places without tests. O(arcs).
void remove_needless_places(ReducedNet& net);

/// Places that hold a multiple of the tokens of another place plus a constant. O(arcs log arcs).
void remove_parallel_places(ReducedNet& net);

/// Transitions with the effect of another transition that can fire whenever they can; without paths also
/// those without effect. O(arcs) per compared pair; among many similar transitions only neighbours are
/// compared.
void remove_covered_transitions(ReducedNet& net, Kept kept);

/// Transitions on which no visible place depends. REQUIRES: Kept::reachability. O(arcs).
void remove_irrelevant_transitions(ReducedNet& net);

/// For dead markings: if a transition is always enabled and no place is visible, nothing else matters.
void keep_endless_transition(ReducedNet& net);

/// Transitions that can fire as soon as, and only if, another one has fired: merged with it. REQUIRES: not
/// Kept::steps. O(arcs).
void agglomerate_after(ReducedNet& net, Kept kept);

/// Transitions that need not fire before the one that uses their tokens: merged with it. REQUIRES: not
/// Kept::steps. O(arcs).
void agglomerate_before(ReducedNet& net, Kept kept);

/// The rules to apply.
struct ReductionOptions {
    bool dead_transitions = true;
    bool needless_places = true;
    bool parallel_places = true;
    bool covered_transitions = true;
    bool irrelevant_transitions = true;
    bool agglomerate_after = true;
    bool agglomerate_before = true;
};

/// A smaller net in which the visible places can hold the same numbers of tokens together, and which
/// preserves the properties of `kept`. Rules are applied until none applies: a round is O(arcs log arcs), and
/// there are few. REQUIRES: no priorities or immediate transitions. The result is valid under interleaving.
ReducedNet reduce(const Net& net, std::span<const std::uint32_t> visible, Kept kept,
                  const ReductionOptions& options = {});

}  // namespace warpnet::states
