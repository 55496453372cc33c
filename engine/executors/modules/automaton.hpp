#pragma once

#include "engine/compile/compiled_net.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpnet {

/// What equal modules have in common. Places and transitions are numbered within the module, in the
/// order of the net; hubs and hub loops within the net.
struct ModuleShape {
    Rows<PlaceWeight> inputs, outputs, reads, inhibitors;  ///< per transition: places of the module
    Rows<PlaceWeight> hub_inputs, hub_outputs;             ///< per transition: numbers of hubs
    Rows<Watch> loop_watches;  ///< per place: conditions of hub loops on it (Watch::transition: the loop)
    std::vector<Tokens>
        capacity;  ///< per place: 0, or for a supply the tokens beyond which more do not matter

    std::size_t place_count() const noexcept { return capacity.size(); }
    std::size_t transition_count() const noexcept { return inputs.size(); }
};

/// Something that a module does to a hub (its tokens) or a hub loop (its unmet conditions) on its way.
struct TimedEffect {
    std::uint32_t offset;   ///< steps after the first one of the segment
    std::uint32_t counter;  ///< a hub, or the number of hubs + a hub loop
    std::int32_t delta;
};

/// What a segment does to two counters in one step: the first in the low half, the second in the high half.
struct EffectPair {
    std::uint32_t offset;
    std::uint32_t pair;
    std::int64_t deltas;
};

/// Tokens taken from a supply within a segment, and how what is left decides where the segment leads:
/// the position in its targets grows by `stride` for each token short of `capacity`.
struct SupplyUse {
    std::uint32_t supply;
    std::uint32_t stride;
    Tokens weight;
    Tokens capacity;

    /// Takes the tokens from the supplies of a module. Returns the position, `before` without this use.
    std::size_t take_from(Tokens* supplies, std::size_t before) const noexcept {
        const Tokens left = supplies[supply] -= weight;
        if (left < capacity) before += stride * static_cast<std::size_t>(capacity - left);
        return before;
    }
};

/// The same transitions, several steps in a row.
struct PathPart {
    std::uint32_t first_fired;
    std::uint32_t fired;
    std::uint32_t repeats;
};

/// A way that a module goes without looking at anything outside.
struct Segment {
    std::uint32_t steps;
    std::uint32_t firings;
    std::uint32_t first_effect;       ///< effects ascending by offset
    std::uint32_t at_once;            ///< number of those with offset 0
    std::uint32_t later;              ///< number of the others
    std::uint32_t first_pair, pairs;  ///< the others once more, in pairs
    std::uint32_t first_use, uses;
    std::uint32_t first_target;  ///< nodes
    std::uint32_t origin;        ///< the node where it begins
    std::uint32_t first_part, parts;
};

/// A marking of a module in which something is decided. Of a supply the marking says min(tokens,
/// capacity).
struct ModuleNode {
    enum class Kind : std::uint8_t {
        waiting,   ///< one transition could fire if the hubs serve it
        choosing,  ///< goes on in the next step
        over,      ///< nothing can fire any more
    };
    Kind kind;
    std::uint32_t demand_class;  ///< waiting: which demands on hubs
    std::uint32_t wanted;        ///< waiting: the transition (of the module)
    /// Transitions compete within the module, so many steps after the first one of the segments that can
    /// be chosen: one segment per order of the competitors, the orders lexicographically.
    std::uint32_t choice_offset;
    std::uint32_t orders;  ///< 1 where nothing competes
    std::uint32_t first_order;
    std::uint32_t first_competitor, competitors;
};

/// The ways of all modules between their interactions with hubs, as a finite automaton.
struct ModuleAutomaton {
    std::vector<ModuleNode> nodes;
    Rows<Tokens> markings;                   ///< per node
    std::vector<std::uint32_t> orders;       ///< segments
    std::vector<std::uint32_t> competitors;  ///< transitions of the module, ascending
    std::vector<Segment> segments;
    std::vector<TimedEffect> effects;
    std::vector<std::uint32_t> timed;  ///< counters that are changed later than at once, in pairs
    std::vector<EffectPair> pairs;
    std::vector<SupplyUse> uses;
    std::vector<std::uint32_t> targets;
    std::vector<PathPart> parts;
    std::vector<std::uint32_t> fired;                      ///< transitions of the module
    std::vector<std::vector<PlaceWeight>> demand_classes;  ///< of waiting nodes: numbers of hubs

    bool is_in_first_pair(std::uint32_t counter) const noexcept {
        return counter == timed[0] || counter == timed[1];
    }

    /// The node to which a segment leads; takes what it takes from the supplies of the module.
    std::uint32_t follow(const Segment& segment, Tokens* supplies) const noexcept {
        std::size_t target = segment.first_target;
        for (std::uint32_t i = 0; i < segment.uses; ++i)
            target = uses[segment.first_use + i].take_from(supplies, target);
        return targets[target];
    }

    /// Which of the orders of a choosing node it is when its competitors are served in this order.
    static std::uint32_t rank_of_order(std::vector<std::uint32_t>& order);
};

/// Adds the automaton of one shape: the nodes that can be reached from `starts` (markings with supplies cut
/// at their capacity) and the segments between them. `start_nodes` receives a node for each start. Whatever
/// is left in a supply is taken to be possible.
///
/// Returns why not, where the modules are not autonomous between hub interactions or too large.
std::optional<std::string> add_automaton(const ModuleShape& shape, std::uint32_t hubs,
                                         const Rows<Tokens>& starts, ModuleAutomaton& automaton,
                                         std::vector<std::uint32_t>& start_nodes);

/// Appends `count` items of a list, from number `first` on, to it once more.
template <class T>
void append_again(std::vector<T>& list, std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) list.push_back(T(list[i]));
}

/// Of a segment whose effects are the last ones: sets Segment::at_once and later.
void count_effects(ModuleAutomaton& automaton, Segment& segment);

/// Where a waiting node leads to a choice for certain, the choice is made at the node and the segments before
/// and after it become one: draws within a module depend on nothing outside.
void draw_ahead(ModuleAutomaton& automaton, std::uint32_t node);

/// Fills ModuleAutomaton::timed and pairs from the effects.
/// Counter number `counters` is one without a meaning, for a counter without a companion.
void pair_effects(ModuleAutomaton& automaton, std::uint32_t counters);

/// Segments are cut at this length, in steps.
inline constexpr std::uint32_t max_segment_steps = 4096;

}  // namespace warpnet
