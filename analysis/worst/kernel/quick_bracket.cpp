// The first lower and upper bounds of a bracket, which need no table: schedules of simple priority rules, and
// an interference bound that is also valid for long waits. The header has the proof.
//
// The bounds cost O(I + types) for a string of I instructions. A schedule takes O(W log W) per cycle, since
// the ready warps are sorted by the rule. There is one per order of the types and set of types whose most
// advanced warp goes first, at most 4! * 2^4 = 384. With more than four types only one order is tried.

#include "analysis/worst/kernel/quick_bracket.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

namespace warpnet::worst {

int interference_bound(const netgen::KernelInstance& instance) {
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

namespace {

/// Whether the instance is the template of [Raravi10] with these levels.
bool is_fermi(const netgen::KernelInstance& instance, netgen::FermiFairness fairness) {
    const auto around = std::ssize(instance.type) - 2;  // without the first C and the last L
    if (around < 3 || around % 3 != 0 || instance.level.empty()) return false;
    const netgen::FermiSpec spec{.threads = netgen::fermi_warp_threads * instance.warps,
                                 .repeat = static_cast<int>(around / 3),
                                 .fairness = fairness,
                                 .schedulers = instance.schedulers};
    return instance == netgen::normalise(netgen::fermi_kernel(spec));
}

}  // namespace

std::optional<int> single_unit_bound(const netgen::KernelInstance& instance) {
    const bool pairs = instance.schedulers == 2;
    if (instance.capacity.size() != 2 || (instance.schedulers && !pairs) || instance.waiting) return {};
    const std::uint8_t scarce = instance.capacity[0] == 1 ? 0 : 1;
    if (instance.capacity[scarce] != 1 || instance.capacity[1U - scarce] < 2) return {};
    if (instance.type.back() != scarce) return {};
    int others = 0;
    for (std::size_t i = 0; i < instance.type.size(); ++i) {
        if (instance.type[i] == scarce) continue;
        if (instance.type[i + 1] != scarce) return {};
        ++others;
    }
    const int busy = instance.warps * (static_cast<int>(instance.type.size()) - others);
    if (instance.type.front() == scarce) return busy + others;
    // Free cycles of the first phase, in which several warps are at a C.
    const int first = pairs ? std::max(instance.warps / 2, 1) : 1;
    if (instance.warps > 1 && is_fermi(instance, netgen::FermiFairness::own_levels)) return busy + first;
    if (instance.warps > 1 && is_fermi(instance, netgen::FermiFairness::sub_blocks)) return busy + first + 1;
    return busy + first + others - 1;
}

namespace {

struct Rule {
    std::vector<int> order;       ///< per type: its place, lower first
    unsigned advanced_first = 0;  ///< bit per type: its most advanced warp goes first
};

KernelSchedule schedule_by(const netgen::KernelInstance& instance, const Rule& rule) {
    const auto length = instance.type.size();
    const auto warps = static_cast<std::size_t>(instance.warps);
    std::vector<std::size_t> next(warps, 0);
    std::vector<std::size_t> ready(warps);
    std::iota(ready.begin(), ready.end(), 0);
    KernelSchedule schedule;
    while (true) {
        std::erase_if(ready, [&](std::size_t w) { return next[w] == length; });
        if (ready.empty()) return schedule;
        std::ranges::sort(ready, {}, [&](std::size_t w) {
            const auto type = instance.type[next[w]];
            const auto position = static_cast<std::int64_t>(next[w]);
            const int level = instance.level.empty() ? 0 : instance.level[next[w]];
            const bool advanced_first = (rule.advanced_first >> type & 1U) != 0;
            return std::tuple(level, rule.order[type], advanced_first ? -position : position, w);
        });
        std::vector<int> room = instance.capacity;
        int schedulers = instance.schedulers.value_or(std::numeric_limits<int>::max());
        auto& cycle = schedule.emplace_back();
        for (const std::size_t w : ready) {
            if (!instance.waits_at(next[w])) {
                int& units = room[instance.type[next[w]]];
                if (units == 0 || schedulers == 0) continue;
                --units;
                --schedulers;
            }
            cycle.push_back({static_cast<int>(w), static_cast<int>(next[w])});
        }
        for (const InstructionRun& execution : cycle) ++next[static_cast<std::size_t>(execution.warp)];
    }
}

}  // namespace

std::vector<KernelSchedule> list_schedules(const netgen::KernelInstance& instance, const WorkLimits& limits) {
    constexpr std::size_t most_types = 4;
    const std::size_t types = instance.capacity.size();
    const unsigned masks = 1U << std::min(types, most_types);
    std::vector<KernelSchedule> schedules;
    Rule rule{.order = std::vector<int>(types)};
    std::iota(rule.order.begin(), rule.order.end(), 0);
    do {
        for (rule.advanced_first = 0; rule.advanced_first < masks; ++rule.advanced_first) {
            schedules.push_back(schedule_by(instance, rule));
            if (limits.must_end()) return schedules;
        }
    } while (types <= most_types && std::ranges::next_permutation(rule.order).found);
    return schedules;
}

}  // namespace warpnet::worst
