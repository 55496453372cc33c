#include "analysis/states/explore/liveness.hpp"

#include "analysis/states/explore/state_space.hpp"
#include "analysis/states/explore/successors.hpp"
#include "engine/base/no_index.hpp"

#include <algorithm>

// Components are found by Tarjan's algorithm with its own stack, O(states + edges). Rejected: Boost.Graph's
// algorithm, which needs several times the memory and recurses as deep as the graph; state graphs can be as
// deep as they are large. The tests compare with it.

namespace warpnet {

namespace {

struct Visit {
    std::uint32_t state;
    std::uint32_t next;  // position in its targets
};

}  // namespace

Components components(const StepGraph& graph) {
    Components result;
    result.of.assign(graph.size(), no_index);
    std::vector<std::uint32_t> found(graph.size(), no_index);  // order of discovery
    std::vector<std::uint32_t> lowest(graph.size(), 0);        // earliest reachable state on the stack
    std::vector<std::uint32_t> open;                           // states without a component yet
    std::vector<Visit> path;
    std::uint32_t count = 0;
    const auto enter = [&](std::uint32_t state) {
        found[state] = lowest[state] = count++;
        open.push_back(state);
        path.push_back({state, 0});
    };
    for (std::uint32_t root = 0; root < graph.size(); ++root) {
        if (found[root] != no_index) continue;
        enter(root);
        while (!path.empty()) {
            const std::uint32_t state = path.back().state;
            const auto targets = graph.targets(state);
            if (path.back().next < targets.size()) {
                const std::uint32_t target = targets[path.back().next++];
                if (found[target] == no_index) {
                    enter(target);
                } else if (result.of[target] == no_index) {
                    lowest[state] = std::min(lowest[state], found[target]);
                }
                continue;
            }
            path.pop_back();
            if (!path.empty()) {
                std::uint32_t& above = lowest[path.back().state];
                above = std::min(above, lowest[state]);
            }
            if (lowest[state] != found[state]) continue;
            std::uint32_t member = no_index;
            do {
                member = open.back();
                open.pop_back();
                result.of[member] = result.count;
            } while (member != state);
            ++result.count;
        }
    }
    result.bottom.assign(result.count, 1);
    for (std::uint32_t state = 0; state < graph.size(); ++state) {
        for (const std::uint32_t target : graph.targets(state)) {
            if (result.of[target] != result.of[state]) result.bottom[result.of[state]] = 0;
        }
    }
    return result;
}

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
