// The checker of witnesses. It follows the rules in the header cycle by cycle, in plain maps and loops. It
// shares no code with the searches, so a bug in one of them cannot hide in the checker. Usage is counted by
// level, because a ready instruction may only be refused by instructions of its own or a lower level.

#include "analysis/worst/kernel/schedule.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace warpnet::worst {

namespace {

int level_of(const netgen::KernelInstance& instance, int instruction) {
    return instance.level.empty() ? 0 : instance.level[static_cast<std::size_t>(instruction)];
}

/// Instructions executed in one cycle, by level.
struct Usage {
    std::vector<std::map<int, int>> of_type;  // per type: level -> number
    std::map<int, int> all;                   // level -> number

    static int up_to(const std::map<int, int>& numbers, int level) {
        int sum = 0;
        for (const auto& [l, number] : numbers) sum += l <= level ? number : 0;
        return sum;
    }
};

}  // namespace

std::string check_schedule(const netgen::KernelInstance& instance, const KernelSchedule& schedule) {
    const int length = static_cast<int>(instance.type.size());
    std::vector<int> next(static_cast<std::size_t>(instance.warps), 0);
    const auto next_of = [&](std::size_t w) { return static_cast<std::size_t>(next[w]); };
    for (std::size_t c = 0; c < schedule.size(); ++c) {
        const auto at = [&](int warp, int instruction) {
            return fmt::format("cycle {}, warp {}, instruction {}", c + 1, warp + 1, instruction + 1);
        };
        Usage usage{.of_type = std::vector<std::map<int, int>>(instance.capacity.size()), .all = {}};
        std::vector<bool> executes(next.size(), false);
        for (const auto& [warp, instruction] : schedule[c]) {
            if (warp < 0 || warp >= instance.warps) return at(warp, instruction) + ": no such warp";
            const auto w = static_cast<std::size_t>(warp);
            if (executes[w]) return at(warp, instruction) + ": the warp executes twice";
            if (instruction != next[w] || instruction >= length)
                return at(warp, instruction) + fmt::format(": instruction {} is due", next[w] + 1);
            executes[w] = true;
            if (instance.waits_at(next_of(w))) continue;
            const int level = level_of(instance, instruction);
            ++usage.of_type[instance.type[static_cast<std::size_t>(instruction)]][level];
            ++usage.all[level];
        }
        constexpr int every_level = std::numeric_limits<int>::max();
        for (std::size_t type = 0; type < instance.capacity.size(); ++type)
            if (Usage::up_to(usage.of_type[type], every_level) > instance.capacity[type])
                return fmt::format("cycle {}: more instructions of type {} than its capacity {}", c + 1, type,
                                   instance.capacity[type]);
        if (instance.schedulers && Usage::up_to(usage.all, every_level) > *instance.schedulers)
            return fmt::format("cycle {}: more instructions than {} schedulers", c + 1, *instance.schedulers);
        for (std::size_t w = 0; w < next.size(); ++w) {
            if (executes[w] || next[w] == length) continue;
            if (instance.waits_at(next_of(w))) return at(static_cast<int>(w), next[w]) + ": the wait goes on";
            const int level = level_of(instance, next[w]);
            const auto type = instance.type[static_cast<std::size_t>(next[w])];
            const bool units_taken = Usage::up_to(usage.of_type[type], level) >= instance.capacity[type];
            const bool schedulers_taken =
                instance.schedulers && Usage::up_to(usage.all, level) >= *instance.schedulers;
            if (!units_taken && !schedulers_taken)
                return at(static_cast<int>(w), next[w]) + ": could have executed, the cycle is not maximal";
        }
        for (const InstructionRun& execution : schedule[c]) ++next[static_cast<std::size_t>(execution.warp)];
    }
    for (std::size_t w = 0; w < next.size(); ++w)
        if (next[w] != length)
            return fmt::format("warp {} ends after {} of {} instructions", w + 1, next[w], length);
    return "";
}

Schedule net_schedule(const netgen::KernelNet& net, const KernelSchedule& schedule) {
    Schedule steps;
    steps.reserve(schedule.size());
    for (const std::vector<InstructionRun>& cycle : schedule) {
        ScheduledStep& step = steps.emplace_back();
        for (const auto [warp, instruction] : cycle) {
            step.transitions.push_back(static_cast<std::uint32_t>(index(net.at(warp, instruction))));
        }
        std::sort(step.transitions.begin(), step.transitions.end());
    }
    return steps;
}

}  // namespace warpnet::worst
