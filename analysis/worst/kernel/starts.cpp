#include "analysis/worst/kernel/starts.hpp"

#include "engine/base/random.hpp"

#include <algorithm>
#include <utility>

namespace warpnet {

std::string_view to_string(Start start) {
    switch (start) {
        case Start::round_robin:
            return "round-robin";
        case Start::fixed_priority:
            return "fixed-priority";
        case Start::most_pending:
            return "most-pending";
        case Start::random:
            break;
    }
    return "random";
}

PrecedenceString round_robin_string(const KernelInstance& instance) {
    PrecedenceString string;
    for (std::size_t i = 0; i < instance.instructions(); ++i)
        for (int w = 0; w < instance.warps; ++w) string.push_back(static_cast<Warp>(w));
    return string;
}

PrecedenceString fixed_priority_string(const KernelInstance& instance) {
    PrecedenceString string;
    const std::size_t instructions = instance.instructions();
    for (int w = 0; w < instance.warps; ++w) string.insert(string.end(), instructions, static_cast<Warp>(w));
    return string;
}

PrecedenceString most_pending_string(const KernelInstance& instance) {
    PrecedenceString string;
    PrecedenceString pending;
    for (int w = 0; w < instance.warps; ++w) pending.push_back(static_cast<Warp>(w));
    std::vector<std::size_t> next(pending.size(), 0);
    PrecedenceString waiting;
    PrecedenceString executed;
    while (!pending.empty()) {
        std::vector<int> room = instance.capacity;
        int schedulers = instance.schedulers.value_or(instance.warps);
        waiting.clear();
        executed.clear();
        for (const Warp warp : pending) {
            if (instance.waits_at(next[warp])) {  // which keeps its place
                if (++next[warp] < instance.type.size()) waiting.push_back(warp);
                continue;
            }
            int& left = room[instance.type[next[warp]]];
            if (left == 0 || schedulers == 0) {
                waiting.push_back(warp);
                continue;
            }
            --left;
            --schedulers;
            string.push_back(warp);
            if (++next[warp] < instance.type.size()) executed.push_back(warp);
        }
        pending = waiting;
        pending.insert(pending.end(), executed.begin(), executed.end());
    }
    return string;
}

PrecedenceString random_string(const KernelInstance& instance, std::uint64_t seed, std::uint64_t stream) {
    PrecedenceString string = fixed_priority_string(instance);
    CounterRandom random(seed, stream);
    for (std::size_t p = string.size(); p > 1; --p)
        std::swap(string[p - 1], string[random.below(static_cast<std::uint32_t>(p))]);
    return string;
}

PrecedenceString start_string(const KernelInstance& instance, Start start, std::uint64_t seed,
                              std::uint64_t stream) {
    switch (start) {
        case Start::round_robin:
            return round_robin_string(instance);
        case Start::fixed_priority:
            return fixed_priority_string(instance);
        case Start::most_pending:
            return most_pending_string(instance);
        case Start::random:
            break;
    }
    return random_string(instance, seed, stream);
}

}  // namespace warpnet
