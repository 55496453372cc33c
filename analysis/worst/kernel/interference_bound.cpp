#include "analysis/worst/kernel/interference_bound.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpnet {

int interference_bound(const KernelInstance& instance) {
    const std::int64_t others = instance.warps - 1;
    std::vector<std::int64_t> instructions(instance.capacity.size(), 0);  // of the other warps, per type
    std::int64_t left = 0;
    for (std::size_t i = 0; i < instance.type.size(); ++i) {
        if (instance.waits_at(i)) continue;
        instructions[instance.type[i]] += others;
        left += others;
    }
    std::int64_t blocked = 0;
    for (std::size_t type = 0; type < instructions.size(); ++type) {
        const std::int64_t units = instance.capacity[type];
        if (instance.schedulers && units >= *instance.schedulers) continue;
        const std::int64_t cycles = instructions[type] / units;
        blocked += cycles;
        left -= cycles * units;
    }
    if (instance.schedulers) blocked += left / *instance.schedulers;
    return static_cast<int>(static_cast<std::int64_t>(instance.type.size()) + blocked);
}

}  // namespace warpnet
