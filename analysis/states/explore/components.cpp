#include "analysis/states/explore/components.hpp"

#include <algorithm>

namespace warpnet {

namespace {

constexpr std::uint32_t none = 0xffffffff;

struct Visit {
    std::uint32_t state;
    std::uint32_t next;  // position in its targets
};

}  // namespace

Components components(const StepGraph& graph) {
    Components result;
    result.of.assign(graph.size(), none);
    std::vector<std::uint32_t> found(graph.size(), none);  // order of discovery
    std::vector<std::uint32_t> lowest(graph.size(), 0);    // earliest state on the stack known to be reached
    std::vector<std::uint32_t> open;                       // states without a component yet
    std::vector<Visit> path;
    std::uint32_t count = 0;
    const auto enter = [&](std::uint32_t state) {
        found[state] = lowest[state] = count++;
        open.push_back(state);
        path.push_back({state, 0});
    };
    for (std::uint32_t root = 0; root < graph.size(); ++root) {
        if (found[root] != none) continue;
        enter(root);
        while (!path.empty()) {
            const std::uint32_t state = path.back().state;
            const auto targets = graph.targets(state);
            if (path.back().next < targets.size()) {
                const std::uint32_t target = targets[path.back().next++];
                if (found[target] == none) {
                    enter(target);
                } else if (result.of[target] == none) {
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
            std::uint32_t member = none;
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

}  // namespace warpnet
