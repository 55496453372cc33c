#include "analysis/worst/kernel/net_schedule.hpp"

#include <algorithm>

namespace warpnet {

Schedule net_schedule(const KernelNet& net, const KernelSchedule& schedule) {
    Schedule steps;
    steps.reserve(schedule.size());
    for (const std::vector<InstructionRun>& cycle : schedule) {
        ScheduledStep& step = steps.emplace_back();
        for (const auto [warp, instruction] : cycle) {
            step.transitions.push_back(static_cast<std::uint32_t>(index(net.at(warp, instruction))));
            const std::size_t at = static_cast<std::size_t>(warp) * net.instance.type.size() +
                                   static_cast<std::size_t>(instruction);
            for (const std::vector<TransitionId>& sm : net.other_sms)
                step.transitions.push_back(static_cast<std::uint32_t>(index(sm[at])));
        }
        std::sort(step.transitions.begin(), step.transitions.end());
    }
    return steps;
}

}  // namespace warpnet
