#include "analysis/worst/kernel/state_path.hpp"

#include <cstddef>

namespace warpnet {

template <class StateNumber>
KernelSchedule schedule_through(const MultisetSpaceOf<StateNumber>& space,
                                const std::vector<StateNumber>& states) {
    KernelSchedule schedule;
    const auto warps = static_cast<std::size_t>(space.warps());
    std::vector<int> before(warps, 0);
    std::vector<int> after(warps);
    for (std::size_t s = 1; s < states.size(); ++s) {
        space.unrank(states[s], after);
        std::vector<InstructionRun>& cycle = schedule.emplace_back();
        for (std::size_t j = warps; j-- > 0;)
            if (after[j] != before[j])
                cycle.push_back({.warp = static_cast<int>(warps - 1 - j), .instruction = before[j]});
        before = after;
    }
    return schedule;
}

template KernelSchedule schedule_through(const MultisetSpaceOf<StateNumber>&,
                                         const std::vector<StateNumber>&);
template KernelSchedule schedule_through(const MultisetSpaceOf<WideStateNumber>&,
                                         const std::vector<WideStateNumber>&);

}  // namespace warpnet
