#pragma once

#include "engine/compile/compiled_net.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// A condition on the tokens in a slot of a cell; `threshold` as in Watch.
struct CellCondition {
    std::uint32_t slot;
    std::int32_t threshold;

    bool operator==(const CellCondition&) const = default;
};

/// A delay gadget of a cell: number of its last transition, slots of its places.
struct CellDelay {
    std::uint32_t done, wait, timer;
};

/// What equal cells have in common. Transitions are numbered within the cell. *Slots* are its places, then
/// places elsewhere that it changes, hubs for instance, then transitions elsewhere that look at its places.
struct CellShape {
    std::vector<CellCondition> conditions;  ///< by slot
    std::vector<std::uint64_t> needs;       ///< per transition: the conditions under which it is a candidate
    std::uint64_t demanding = 0;            ///< transitions that demand something of hubs
    std::uint64_t in_delays = 0;            ///< transitions of delay gadgets
    std::uint64_t immediate = 0;            ///< immediate transitions

    /// Of a place. A flip has its tokens in the conditions, any other place needs to be looked at.
    struct Slot {
        std::uint64_t conditions = 0;     ///< on it
        std::uint64_t held_by_token = 0;  ///< those of them that hold while it has a token
        bool flips = false;               ///< seems to hold 0 or 1 token only
        bool in_delay = false;            ///< place of a delay gadget

        /// Of a flip.
        bool is_marked(std::uint64_t held) const noexcept { return (held & conditions) == held_by_token; }
    };
    std::vector<Slot> places;
    Rows<Watch> watches_elsewhere;  ///< per place; Watch::transition: a slot
    Rows<PlaceWeight> shared;       ///< per place with several takers: transition and weight; else empty
    Rows<Effect> effects;           ///< per transition, on slots
    std::vector<CellDelay> delays;

    /// The delay that ends when a transition fires, or null.
    const CellDelay* delay_ended_by(std::uint32_t transition) const noexcept {
        const auto at = std::find_if(delays.begin(), delays.end(),
                                     [&](const CellDelay& delay) { return delay.done == transition; });
        return at == delays.end() ? nullptr : &*at;
    }
};

/// Parts of a net whose state is one word. A *cell* is what is connected by places other than hubs (and by
/// transitions with few places), where it has at most 64 transitions and 64 conditions and looks at no place
/// elsewhere but hubs that it takes from. Which of its transitions are candidates, and which of them compete,
/// follows from the conditions alone, so it needs to be found out only once for all equal cells in the same
/// state (CellStates).
struct Cells {
    static constexpr std::uint32_t most = 64;
    static constexpr std::uint32_t no_seat = 0xffffffff;

    std::vector<CellShape> shapes;
    std::vector<std::uint32_t> shape;        ///< per cell
    Rows<std::uint32_t> transitions, slots;  ///< per cell
    std::vector<std::uint32_t> seats;        ///< per transition: 64 · cell + its number there, or no_seat
    bool all_effective = true;               ///< each of their transitions changes something when it fires

    std::size_t size() const noexcept { return shape.size(); }
    const CellShape& shape_of(std::uint32_t cell) const noexcept { return shapes[shape[cell]]; }
    std::span<const std::uint32_t> places(std::uint32_t cell) const noexcept {
        return slots[cell].first(shape_of(cell).places.size());
    }
};

/// `flipping`: flipping_places(). A transition with more than `most_places` places connects nothing to a
/// cell. O(n log n) in arcs.
Cells find_cells(const CompiledNet& net, const std::vector<std::uint8_t>& flipping,
                 std::uint32_t most_places);

}  // namespace warpnet
