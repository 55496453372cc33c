#include "analysis/worst/kernel/decode.hpp"

#include "analysis/worst/kernel/maximal_step_scheduler.hpp"
#include "analysis/worst/kernel/serial_scheduler.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace warpnet {

KernelSchedule decode(const KernelInstance& instance, std::span<const Warp> string, StringReading reading) {
    check_instance(instance);
    check_precedence_string(instance, string);
    if (reading == StringReading::serial && instance.waiting)
        throw InputError("pseudo-precedence string: with waits it is read by maximal steps alone");
    const auto schedule_with = [&](auto scheduler) {
        KernelSchedule schedule(
            static_cast<std::size_t>(scheduler.reset(PrecedenceString(string.begin(), string.end()))));
        const auto cycles = scheduler.cycles();
        std::vector<std::size_t> next(static_cast<std::size_t>(instance.warps), 0);
        std::vector<std::size_t> free(next.size(), 0);  // the first cycle of the warp's next one
        const auto wait = [&](std::size_t warp) {
            while (next[warp] < instance.type.size() && instance.waits_at(next[warp]))
                schedule[free[warp]++].push_back({static_cast<int>(warp), static_cast<int>(next[warp]++)});
        };
        for (std::size_t w = 0; w < next.size(); ++w) wait(w);
        for (std::size_t p = 0; p < string.size(); ++p) {
            const Warp warp = string[p];
            schedule[cycles[p]].push_back({warp, static_cast<int>(next[warp]++)});
            free[warp] = cycles[p] + 1;
            wait(warp);
        }
        for (auto& cycle : schedule)
            std::sort(cycle.begin(), cycle.end(),
                      [](const InstructionRun& a, const InstructionRun& b) { return a.warp < b.warp; });
        return schedule;
    };
    return reading == StringReading::serial ? schedule_with(SerialScheduler(instance))
                                            : schedule_with(MaximalStepScheduler(instance));
}

}  // namespace warpnet
