#pragma once

#include "engine/base/no_index.hpp"
#include "engine/compile/compiled_net.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpnet {

/// Who is served where: the parts of a net (warps) and the places where they meet (schedulers). What the
/// policies that speak of warps, Policy::gto and Policy::lrr, go by.
struct ServedParts {
    std::uint32_t parts = 0, meetings = 0, slots = 0;  ///< how many
    /// Per transition: its part. They are numbered by age, which is the order of the net: 0 is the oldest.
    std::vector<std::uint32_t> part;
    /// Per transition: the place where it serves its part, as a number of meetings; no_index: it does not.
    std::vector<std::uint32_t> meeting;
    /// Per transition that has a meeting: the pair of its part and that meeting, as a number of slots.
    std::vector<std::uint32_t> slot;
};

/// Numbers the slots of parts and meetings that are given. The rows are as long as each other.
ServedParts served_parts(std::vector<std::uint32_t> part, std::vector<std::uint32_t> meeting);

/// Reads them off the structure. A *hub* is a place from which transitions take (or to which they give) that
/// look alike four arcs far, whatever the initial tokens, and belong to different parts. *Parts* are what
/// input and output arcs connect when hubs are left out, and dispatchers, which start parts and belong to
/// none: transitions with more than 16 such arcs, and arcs of one transition to places that are alike. A
/// transition that changes the marking serves its part at the hub that it takes from; of several hubs at the
/// one with the most consumers, then the first. A transition that touches nothing else is a part of its own.
///
/// Throws InputError where no hub has parts that wait for it: nobody is then served before others. O(arcs log
/// arcs), several times where places that look like hubs turn out to be none.
ServedParts find_served_parts(const CompiledNet& net);

}  // namespace warpnet
