#pragma once

#include "engine/compile/compiled_net.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpnet {

/// The common structure of equal modules. Places and transitions are numbered within the module, in the order
/// of the net. Hubs and hub loops are numbered within the net.
struct ModuleShape {
    Rows<PlaceWeight> inputs, outputs, reads, inhibitors;  ///< per transition: places of the module
    Rows<PlaceWeight> hub_inputs, hub_outputs;             ///< per transition: numbers of hubs
    Rows<Watch> loop_watches;      ///< per place: conditions of hub loops on it (Watch::transition: the loop)
    std::vector<Tokens> capacity;  ///< per place: 0, or for a supply the number of tokens beyond which
                                   ///< further tokens have no influence

    std::size_t place_count() const noexcept { return capacity.size(); }
    std::size_t transition_count() const noexcept { return inputs.size(); }
};

/// A change that a segment makes to a hub (its tokens) or to a hub loop (its unmet conditions).
struct TimedEffect {
    std::uint32_t offset;   ///< steps after the first step of the segment
    std::uint32_t counter;  ///< a hub, or the number of hubs + a hub loop
    std::int32_t delta;
};

/// The changes of two counters by a segment in one step. The first is in the low half of `deltas`, the second
/// in the high half.
struct EffectPair {
    std::uint32_t offset;
    std::uint32_t pair;
    std::int64_t deltas;
};

/// Tokens taken from a supply within a segment. The remainder selects the end of the segment: the position in
/// its targets grows by `stride` for each token below `capacity`.
struct SupplyUse {
    std::uint32_t supply;
    std::uint32_t stride;
    Tokens weight;
    Tokens capacity;

    /// Takes the tokens from the supplies of a module. Returns the position in the targets; `before` is the
    /// position without this use.
    std::size_t take_from(Tokens* supplies, std::size_t before) const noexcept {
        const Tokens left = supplies[supply] -= weight;
        if (left < capacity) before += stride * static_cast<std::size_t>(capacity - left);
        return before;
    }
};

/// Transitions that fire together in several consecutive steps.
struct PathPart {
    std::uint32_t first_fired;
    std::uint32_t fired;
    std::uint32_t repeats;
};

/// A path of a module on which it depends on nothing outside.
struct Segment {
    std::uint32_t steps;
    std::uint32_t firings;
    std::uint32_t first_effect;       ///< effects ascending by offset
    std::uint32_t at_once;            ///< number of those with offset 0
    std::uint32_t later;              ///< number of those with offset > 0
    std::uint32_t first_pair, pairs;  ///< the effects with offset > 0, in pairs
    std::uint32_t first_use, uses;
    std::uint32_t first_target;  ///< nodes
    std::uint32_t origin;        ///< the node at which it begins
    std::uint32_t first_part, parts;
};

/// A marking of a module in which something is decided. For a supply it contains min(tokens, capacity).
struct ModuleNode {
    enum class Kind : std::uint8_t {
        waiting,   ///< one transition could fire if the hubs serve it
        choosing,  ///< its competitors are decided in the next step
        over,      ///< no transition can fire any more
    };
    Kind kind;
    std::uint32_t demand_class;  ///< waiting: its demands on hubs
    std::uint32_t wanted;        ///< waiting: the transition within the module
    /// Transitions compete within the module, this many steps after the first step of the possible segments.
    /// There is one segment per order of the competitors, in lexicographical order.
    std::uint32_t choice_offset;
    std::uint32_t orders;  ///< 1 without competition
    std::uint32_t first_order;
    std::uint32_t first_competitor, competitors;
};

/// The paths of all modules between their interactions with hubs, as a finite automaton.
struct ModuleAutomaton {
    std::vector<ModuleNode> nodes;
    Rows<Tokens> markings;                   ///< per node
    std::vector<std::uint32_t> orders;       ///< segments
    std::vector<std::uint32_t> competitors;  ///< transitions of the module, ascending
    std::vector<Segment> segments;
    std::vector<TimedEffect> effects;
    std::vector<std::uint32_t> timed;  ///< counters with changes at an offset > 0, in pairs
    std::vector<EffectPair> pairs;
    std::vector<SupplyUse> uses;
    std::vector<std::uint32_t> targets;
    std::vector<PathPart> parts;
    std::vector<std::uint32_t> fired;                      ///< transitions of the module
    std::vector<std::vector<PlaceWeight>> demand_classes;  ///< of waiting nodes: demands by numbers of hubs

    bool is_in_first_pair(std::uint32_t counter) const noexcept {
        return counter == timed[0] || counter == timed[1];
    }

    /// The node at the end of a segment. Takes the tokens that the segment uses from the supplies of the
    /// module.
    std::uint32_t follow(const Segment& segment, Tokens* supplies) const noexcept {
        std::size_t target = segment.first_target;
        for (std::uint32_t i = 0; i < segment.uses; ++i)
            target = uses[segment.first_use + i].take_from(supplies, target);
        return targets[target];
    }

    /// The rank of an order of service among all orders of the competitors of a choosing node.
    static std::uint32_t rank_of_order(std::vector<std::uint32_t>& order);
};

/// Adds the automaton of one shape: the nodes reachable from `starts` (markings with supplies capped at their
/// capacity) and the segments between them. `start_nodes` receives one node per start. Any remainder of a
/// supply is assumed to be possible.
///
/// Returns a reason if the modules interact with the rest of the net other than by hubs, or if they are too
/// large.
std::optional<std::string> add_automaton(const ModuleShape& shape, std::uint32_t hubs,
                                         const Rows<Tokens>& starts, ModuleAutomaton& automaton,
                                         std::vector<std::uint32_t>& start_nodes);

/// Appends a copy of `count` items of a list, from position `first` on, to the same list.
template <class T>
void append_again(std::vector<T>& list, std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) list.push_back(T(list[i]));
}

/// Sets Segment::at_once and later of a segment whose effects are the last ones.
void count_effects(ModuleAutomaton& automaton, Segment& segment);

/// If a waiting node always leads to the same choice, moves the choice to the node and joins the segments
/// before and after it. This changes no distribution, since draws within a module depend on nothing outside.
void draw_ahead(ModuleAutomaton& automaton, std::uint32_t node);

/// Fills ModuleAutomaton::timed and pairs from the effects. Counter number `counters` is a dummy that
/// completes the last pair.
void pair_effects(ModuleAutomaton& automaton, std::uint32_t counters);

/// Longer segments are split, in steps.
inline constexpr std::uint32_t max_segment_steps = 4096;

}  // namespace warpnet
