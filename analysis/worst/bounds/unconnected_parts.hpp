#pragma once

#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace warpnet::worst {

/// A net as parts that no arc connects, except at places that are never short: they have no inhibitor arcs,
/// and they start with all tokens that can be taken from them. Under maximal steps each part runs as if it
/// were alone: a run of the net is one run of each part, and takes as many steps as the longest of them.
struct UnconnectedParts {
    struct Part {
        std::size_t kind;
        std::vector<std::uint32_t> transitions;  ///< of the net, in the order of those of its kind
    };
    std::vector<Net> kinds;  ///< distinct parts, each with the ids of the first part that is like it
    std::vector<Part> parts;
    bool meet = false;  ///< at places that are never short, which each part has as its own
};

/// Nothing if there are fewer than two parts, more than `most_kinds` distinct ones, or immediate transitions,
/// whose firings delay the steps of other parts. Parts are equal if their nodes are, in the order of the net.
/// Places without arcs belong to no part. O(arcs x kinds).
std::optional<UnconnectedParts> unconnected_parts(const Net& net, std::size_t most_kinds);

/// The run of the net in which each part makes the run of its kind.
Schedule joined_schedule(const UnconnectedParts& parts, std::span<const Schedule> of_kinds);

}  // namespace warpnet::worst
