#pragma once

#include "engine/net/net.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace warpnet {

/// A net without immediate transitions.
struct TimedNet {
    Net net;
    std::size_t replaced = 0;  ///< immediate transitions of the old net
    std::size_t copies = 0;    ///< transitions of the new net, beyond the timed ones of the old
};

inline constexpr std::size_t most_timed_copies = 100'000;

/// Replaces immediate transitions: the new net goes at once where the old one goes by a timed transition and
/// then by immediate ones until none is enabled. A timed transition becomes one copy for each such way, each
/// with read and inhibitor arcs that tell in which markings immediate transitions go this way. Places and
/// their order stay, arc weights and priorities of timed transitions too; those of immediate ones decide
/// which ways there are.
///
/// Under interleaving the reachable markings are those reachable markings of the old net in which no
/// immediate transition is enabled, with the same ones dead; a step of the new net is one timed step of the
/// old. Under maximal steps nothing is said. `bounds[p]`, where it is known, is the most tokens that a place
/// holds in such a marking; a bound that is too small makes another net.
///
/// Throws InputError, with the transition at fault, where immediate transitions can go on for ever, where
/// they lead from the initial marking to several markings, or where there would be more copies than
/// most_timed_copies or ways that are too long (places without a known bound that immediate transitions
/// empty).
TimedNet without_immediates(const Net& net, std::span<const std::optional<Tokens>> bounds,
                            std::size_t most_copies = most_timed_copies);

}  // namespace warpnet
