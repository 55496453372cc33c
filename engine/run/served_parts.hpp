#pragma once

#include "engine/base/no_index.hpp"
#include "engine/compile/compiled_net.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace warpnet {

/// Hashes of the surroundings of nodes, whatever the initial tokens. Equal surroundings have equal hashes.
struct NodeLooks {
    std::vector<std::uint64_t> places, transitions;
};

/// Each round widens the surroundings of a node by two arcs. Transitions with different labels differ, and
/// those without a label are left out. O(rounds · arcs).
NodeLooks looks_of(const CompiledNet& net, int rounds,
                   const std::function<std::optional<std::uint64_t>(std::uint32_t)>& label_of);

/// The parts of a net (warps) and the places at which they meet (schedulers), for the policies Policy::gto
/// and Policy::lrr.
struct ServedParts {
    std::uint32_t parts = 0, meetings = 0, slots = 0;  ///< the counts
    /// Per transition: its part. Parts are numbered by age, in the order of the net; 0 is the oldest.
    std::vector<std::uint32_t> part;
    /// Per transition: the meeting at which it serves its part, or no_index.
    std::vector<std::uint32_t> meeting;
    /// Per transition with a meeting: the slot, which is the pair of its part and its meeting.
    std::vector<std::uint32_t> slot;
};

/// Numbers the slots of given parts and meetings. REQUIRES: the rows have equal lengths.
ServedParts served_parts(std::vector<std::uint32_t> part, std::vector<std::uint32_t> meeting);

/// Finds the parts of a net by its structure. A *hub* is a place with consumers (or producers) that belong to
/// different parts and look alike. They look alike if their surroundings are equal up to a distance of four
/// arcs, whatever the initial tokens. *Parts* are the connected components of the net without hubs and
/// without dispatchers. A dispatcher starts parts and belongs to none; it has more than 16 input and output
/// arcs, or several arcs to similar places. A transition that changes the marking serves its part at the hub
/// that it takes from. With several hubs it is the one with the most consumers, and of these the first. A
/// transition that touches nothing else forms a separate part.
///
/// Nothing if no place serves several parts with equal surroundings: no part waits, or the waiting parts
/// differ. O(arcs log arcs), repeated if some hubs turn out to belong to one part.
std::optional<ServedParts> served_parts_if_any(const CompiledNet& net);

/// The same; throws InputError if there are none.
ServedParts find_served_parts(const CompiledNet& net);

}  // namespace warpnet
