#pragma once

#include "analysis/states/reductions/reduced_net.hpp"

#include <cstdint>

namespace warpnet {

/// What must stay as it is, beside the token counts of visible places that can come about together.
enum class Kept : std::uint8_t {
    reachability,  ///< nothing: a net may lose and gain dead markings
    deadlocks,     ///< whether a dead marking can be reached
};

// Each rule changes the net until it applies nowhere any more, or once to all that it applies to; the driver
// is reduce(). A rule is right where the count vectors of the visible places that can be reached stay the
// same ones, and under Kept::deadlocks, whether a dead marking can be reached. README.md has the arguments.

/// Transitions that cannot fire, whatever happens. O(arcs).
void remove_dead_transitions(ReducedNet& net);

/// Tests that are always passed, and places without tests. O(arcs).
void remove_needless_places(ReducedNet& net);

/// Places whose tokens are a multiple of those of another one, and a number. O(arcs log arcs).
void remove_parallel_places(ReducedNet& net);

/// Transitions with the effect of another one that can fire whenever they can; under Kept::deadlocks those
/// without effect too. O(arcs) for each pair that is compared; of many alike, neighbours alone.
void remove_covered_transitions(ReducedNet& net, Kept kept);

/// Transitions that no visible place depends on. REQUIRES: Kept::reachability. O(arcs).
void remove_irrelevant_transitions(ReducedNet& net);

/// For dead markings: where a transition is always enabled and no place is visible, nothing else matters.
void keep_endless_transition(ReducedNet& net);

/// Transitions that can fire as soon as, and only if, another one has fired: both at once. O(arcs).
void agglomerate_after(ReducedNet& net);

/// Transitions that need not fire before the one that they are good for: both at once. O(arcs).
void agglomerate_before(ReducedNet& net, Kept kept);

}  // namespace warpnet
