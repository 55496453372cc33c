#pragma once

#include "netgen/kernel/kernel.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace warpnet::testing {

/// The algorithm of [Berezovskyi13] figure 4, as it stands there: the judge of fast schedulers, and what a
/// plain implementation of the paper does for every candidate. Returns the cycle of each position, from 0.
template <typename String>
std::vector<int> plain_serial_schedule(const KernelInstance& instance, const String& string) {
    std::vector<std::size_t> next(static_cast<std::size_t>(instance.warps), 0);
    std::vector<int> ready(static_cast<std::size_t>(instance.warps), 0);
    const std::size_t types = instance.capacity.size();
    std::vector<int> used(string.size() * types, 0);  // [cycle][type]
    std::vector<int> executing(string.size(), 0);
    std::vector<int> cycles;
    for (const auto warp : string) {
        const auto type = instance.type[next[warp]++];
        auto cycle = static_cast<std::size_t>(ready[warp]);
        while (used[cycle * types + type] == instance.capacity[type] ||
               (instance.schedulers && executing[cycle] == *instance.schedulers))
            ++cycle;
        ++used[cycle * types + type];
        ++executing[cycle];
        ready[warp] = static_cast<int>(cycle) + 1;
        cycles.push_back(static_cast<int>(cycle));
    }
    return cycles;
}

inline int makespan(const std::vector<int>& cycles) {
    return *std::max_element(cycles.begin(), cycles.end()) + 1;
}

}  // namespace warpnet::testing
