#include "analysis/states/reductions/reduce.hpp"

namespace warpnet {

ReducedNet reduce(const Net& net, std::span<const std::uint32_t> visible, Kept kept,
                  const ReductionOptions& options) {
    ReducedNet reduced(net, visible);
    for (std::uint64_t before = 1, after = 0; before != after;) {
        before = reduced.changes();
        if (options.dead_transitions) remove_dead_transitions(reduced);
        if (options.needless_places) remove_needless_places(reduced);
        if (options.parallel_places) remove_parallel_places(reduced);
        if (options.covered_transitions) remove_covered_transitions(reduced, kept);
        if (options.irrelevant_transitions && kept == Kept::reachability)
            remove_irrelevant_transitions(reduced);
        if (options.irrelevant_transitions && kept == Kept::deadlocks) keep_endless_transition(reduced);
        if (options.agglomerate_after) agglomerate_after(reduced);
        if (options.agglomerate_before) agglomerate_before(reduced, kept);
        after = reduced.changes();
    }
    return reduced;
}

}  // namespace warpnet
