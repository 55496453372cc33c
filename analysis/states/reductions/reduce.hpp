#pragma once

#include "analysis/states/reductions/reduced_net.hpp"
#include "analysis/states/reductions/rules.hpp"

namespace warpnet {

/// Which rules are applied.
struct ReductionOptions {
    bool dead_transitions = true;
    bool needless_places = true;
    bool parallel_places = true;
    bool covered_transitions = true;
    bool irrelevant_transitions = true;
    bool agglomerate_after = true;
    bool agglomerate_before = true;
};

/// A smaller net in which the visible places can hold the same numbers of tokens together, and in which,
/// under Kept::deadlocks, a dead marking can be reached exactly if one can in the net. Rules are applied
/// until none applies: a round is O(arcs log arcs), and there are few. REQUIRES: no priorities or immediate
/// transitions; interleaving is what it is true of.
ReducedNet reduce(const Net& net, std::span<const std::uint32_t> visible, Kept kept,
                  const ReductionOptions& options = {});

}  // namespace warpnet
