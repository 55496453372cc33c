// A depth-first search for a part of the state graph, in the order of StepsOnDemand: one process of the net
// moves on while all other processes wait. Its cycles are soon closed. A proof of "EG p" needs a cycle, and
// in a net with many processes the markings near the initial one have none. A single thread, so the order is
// always the same.

#include "analysis/states/explore/repack.hpp"
#include "analysis/states/properties/parts.hpp"
#include "analysis/states/properties/steps_on_demand.hpp"

#include <vector>

namespace warpnet::states {

namespace {

/// Ends when the search is complete or a limit is reached.
WorkEnd search_depth_first(StepsOnDemand& steps, std::uint64_t max_states, const WorkLimits& limits) {
    struct Visit {
        std::uint32_t state, next_step;
    };
    std::vector<Visit> path = {{0, 0}};
    while (!path.empty()) {
        Visit& visit = path.back();
        if (visit.next_step == steps.count(visit.state)) {
            path.pop_back();
            continue;
        }
        const std::uint32_t known = steps.markings().size();
        if (known >= max_states) return WorkEnd::state_limit;
        const std::uint32_t next = steps.after(visit.state, visit.next_step++);
        if (next < known) continue;
        if (next % 256 == 0 && limits.must_end()) return WorkEnd::time_limit;
        path.push_back({next, 0});
    }
    return WorkEnd::complete;
}

}  // namespace

Exploration explore_depth_first(const CompiledNet& compiled, std::uint64_t max_states,
                                const WorkLimits& limits) {
    StepsOnDemand steps(compiled, first_layout(compiled, Semantics::interleaving, nullptr, limits));
    try {
        return steps.explored(search_depth_first(steps, max_states, limits));
    } catch (const LimitReached& limit) {
        return steps.explored(limit.why());
    }
}

}  // namespace warpnet::states
