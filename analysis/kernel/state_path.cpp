#include "analysis/kernel/state_path.hpp"

#include <vector>

namespace warpnet {

Schedule schedule_through(const MultisetSpace& space, std::span<const Rank> states) {
    Schedule schedule;
    const auto warps = static_cast<std::size_t>(space.warps());
    std::vector<int> before(warps, 0);
    std::vector<int> after(warps);
    for (const Rank state : states.subspan(1)) {
        space.unrank(state, after);
        std::vector<Execution>& cycle = schedule.emplace_back();
        for (std::size_t j = warps; j-- > 0;)
            if (after[j] != before[j])
                cycle.push_back({.warp = static_cast<int>(warps - 1 - j), .instruction = before[j]});
        before = after;
    }
    return schedule;
}

}  // namespace warpnet
