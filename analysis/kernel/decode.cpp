#include "analysis/kernel/decode.hpp"

#include "analysis/kernel/maximal_step_scheduler.hpp"
#include "analysis/kernel/serial_scheduler.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace warpnet {

KernelSchedule decode(const KernelInstance& instance, std::span<const Warp> string, StringReading reading) {
    check_instance(instance);
    check_precedence_string(instance, string);
    const auto schedule_with = [&](auto scheduler) {
        KernelSchedule schedule(
            static_cast<std::size_t>(scheduler.reset(PrecedenceString(string.begin(), string.end()))));
        std::vector<int> next(static_cast<std::size_t>(instance.warps), 0);
        for (std::size_t p = 0; p < string.size(); ++p)
            schedule[scheduler.cycles()[p]].push_back({string[p], next[string[p]]++});
        for (auto& cycle : schedule)
            std::sort(cycle.begin(), cycle.end(),
                      [](const InstructionRun& a, const InstructionRun& b) { return a.warp < b.warp; });
        return schedule;
    };
    return reading == StringReading::serial ? schedule_with(SerialScheduler(instance))
                                            : schedule_with(MaximalStepScheduler(instance));
}

}  // namespace warpnet
