#include "analysis/states/explore/liveness.hpp"

#include "analysis/states/explore/packed_firing.hpp"
#include "analysis/states/explore/state_coder.hpp"
#include "analysis/states/explore/successors.hpp"

#include <algorithm>

namespace warpnet {

namespace {

/// The states of bottom components, by component.
std::vector<std::uint32_t> bottom_states(const Components& components) {
    std::vector<std::uint32_t> states;
    for (std::uint32_t state = 0; state < components.of.size(); ++state) {
        if (components.bottom[components.of[state]] != 0) states.push_back(state);
    }
    std::stable_sort(states.begin(), states.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return components.of[a] < components.of[b]; });
    return states;
}

}  // namespace

Liveness liveness(const CompiledNet& net, Semantics semantics, const Exploration& explored,
                  const StepGraph& graph) {
    const Components parts = components(graph);
    Liveness result;
    result.components = parts.count;
    result.bottom_components =
        static_cast<std::uint32_t>(std::count(parts.bottom.begin(), parts.bottom.end(), 1));
    const std::vector<std::uint32_t> states = bottom_states(parts);
    if (result.bottom_components == 1) {
        result.home_states = states.size();
        result.reversible = parts.bottom[parts.of[graph.initial()]] != 0;
    }
    result.live.assign(net.transition_count(), explored.deadlocks == 0 ? 1 : 0);
    if (explored.deadlocks > 0) return result;  // a dead marking is a bottom component in which nothing fires
    const PackedFiring firing(net, explored.space.layout());
    Successors successors(net, semantics, explored.space.layout(), firing);
    StateCoder coder(explored.space);
    std::vector<std::uint8_t> fires(net.transition_count(), 0);
    with_words(explored.space.layout().words(), [&](auto words) {
        for (std::size_t i = 0; i < states.size(); ++i) {
            successors.for_each(coder.unpack_kept(graph.id(states[i])), words,
                                [&](const Word*, std::span<const std::uint32_t> fired) {
                                    for (const std::uint32_t transition : fired) fires[transition] = 1;
                                    return true;
                                });
            const bool last = i + 1 == states.size() || parts.of[states[i + 1]] != parts.of[states[i]];
            if (!last) continue;
            for (std::size_t t = 0; t < fires.size(); ++t) {
                result.live[t] &= fires[t];
                fires[t] = 0;
            }
        }
    });
    return result;
}

}  // namespace warpnet
