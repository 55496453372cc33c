#pragma once

#include "engine/net/net.hpp"

#include <cstdint>
#include <string>

namespace warpnet::pnml {

/// The steps that a sequential net makes, and the quantity that it counts.
struct SequentialOptions {
    bool multiset = false;  ///< a transition may fire several times in a step; otherwise at most once
    /// A place that gains a token in each timed step. The net is then finite only if all runs end.
    bool count_steps = false;
};

/// A net whose single firings make the maximal steps of another one.
struct SequentialNet {
    Net net;            ///< the places of the old net come first, with their ids
    std::string start;  ///< the place that is marked exactly between two steps
    std::string end;    ///< the place that is marked exactly if the old net is dead
    std::string steps;  ///< the place that counts timed steps; empty without count_steps
};

/// Writes each maximal step as a sequence of firings, for tools that support only interleaving. The markings
/// with a marked `start`, without the added places, are those that the old net reaches under maximal steps.
/// The net gets from one such marking to the next exactly if one step of the old net does. The only dead
/// markings are those with `end`. Immediate transitions, priorities and read arcs keep their meaning; the net
/// has none of the first two. It has at most nine transitions for each old one, and one for each condition of
/// these. The proof is at the top of the source.
///
/// Throws InputError if a multiset step can be infinite: a transition takes no tokens.
SequentialNet sequential_net(const Net& net, const SequentialOptions& options = {});

}  // namespace warpnet::pnml
