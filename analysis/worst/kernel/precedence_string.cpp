// A string determines a schedule under either reading, and each schedule has a string (encode()), so a search
// over strings misses no schedule of instructions of one cycle. Warps are identical: canonical() renames them
// in the order of their first occurrence.
//
// Strings are those of [Berezovskyi13] section IV. The number of a warp suffices for an entry, because its
// occurrences count its instructions. So every string with I entries per warp is valid, and a search can
// exchange any two of them. Waits are in no string, since they compete for nothing. Each function is linear
// in the W * I entries, except most_pending_string(), which looks at all pending warps in each cycle.

#include "analysis/worst/kernel/precedence_string.hpp"

#include "engine/base/random.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace warpnet::worst {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw InputError("kernel instance: " + what); }

}  // namespace

void check_kernel(const netgen::KernelInstance& instance) {
    if (instance.warps < 1) refuse(fmt::format("{} warps; expected at least 1", instance.warps));
    if (instance.type.empty()) refuse("the instruction string is empty");
    for (std::size_t i = 0; i < instance.type.size(); ++i)
        if (instance.type[i] >= instance.capacity.size())
            refuse(fmt::format("instruction {} has type {}; expected a type below {}", i + 1,
                               instance.type[i], instance.capacity.size()));
    for (const int capacity : instance.capacity)
        if (capacity < 1) refuse(fmt::format("a capacity of {}; expected at least 1", capacity));
    if (instance.waiting && (*instance.waiting >= instance.capacity.size() ||
                             instance.capacity[*instance.waiting] < instance.warps))
        refuse(fmt::format("waits of type {}; expected one with a capacity of {} or more", *instance.waiting,
                           instance.warps));
    if (instance.instructions() == 0) refuse("every cycle of the instruction string is a wait");
    if (instance.schedulers && *instance.schedulers < 1)
        refuse(fmt::format("{} schedulers; expected at least 1", *instance.schedulers));
    if (!instance.level.empty() && instance.level.size() != instance.type.size())
        refuse(fmt::format("{} levels for {} instructions", instance.level.size(), instance.type.size()));
}

bool fits_search(const netgen::KernelInstance& instance) {
    return instance.warps <= max_search_warps &&
           instance.type.size() * static_cast<std::size_t>(instance.warps) <= max_search_letters;
}

void check_instance(const netgen::KernelInstance& instance) {
    check_kernel(instance);
    if (fits_search(instance)) return;
    if (instance.warps > max_search_warps)
        refuse(fmt::format("{} warps; expected 1 to {}", instance.warps, max_search_warps));
    refuse(fmt::format("{} warps of {} instructions; expected at most {} instructions in all", instance.warps,
                       instance.type.size(), max_search_letters));
}

void check_precedence_string(const netgen::KernelInstance& instance, std::span<const Warp> string) {
    std::vector<std::size_t> count(static_cast<std::size_t>(instance.warps), 0);
    for (const Warp warp : string) {
        if (warp >= count.size())
            throw InputError(
                fmt::format("pseudo-precedence string: warp {}; expected 0 to {}", warp, count.size() - 1));
        ++count[warp];
    }
    const std::size_t instructions = instance.instructions();
    for (std::size_t w = 0; w < count.size(); ++w)
        if (count[w] != instructions)
            throw InputError(fmt::format("pseudo-precedence string: warp {} occurs {} times; expected {}", w,
                                         count[w], instructions));
}

StringReading search_reading(const netgen::KernelInstance& instance) {
    return instance.level.empty() && !instance.waiting ? StringReading::serial : StringReading::maximal_step;
}

PrecedenceString encode(const netgen::KernelInstance& instance, const KernelSchedule& schedule) {
    PrecedenceString string;
    for (const auto& cycle : schedule)
        for (const auto& [warp, instruction] : cycle)
            if (!instance.waits_at(static_cast<std::size_t>(instruction)))
                string.push_back(static_cast<Warp>(warp));
    return string;
}

PrecedenceString canonical(std::span<const Warp> string) {
    constexpr int unnamed = -1;
    std::vector<int> name(max_search_warps, unnamed);
    int names = 0;
    PrecedenceString renamed;
    for (const Warp warp : string) {
        if (name[warp] == unnamed) name[warp] = names++;
        renamed.push_back(static_cast<Warp>(name[warp]));
    }
    return renamed;
}

PrecedenceString round_robin_string(const netgen::KernelInstance& instance) {
    PrecedenceString string;
    for (std::size_t i = 0; i < instance.instructions(); ++i)
        for (int w = 0; w < instance.warps; ++w) string.push_back(static_cast<Warp>(w));
    return string;
}

PrecedenceString fixed_priority_string(const netgen::KernelInstance& instance) {
    PrecedenceString string;
    const std::size_t instructions = instance.instructions();
    for (int w = 0; w < instance.warps; ++w) string.insert(string.end(), instructions, static_cast<Warp>(w));
    return string;
}

PrecedenceString most_pending_string(const netgen::KernelInstance& instance) {
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
            if (instance.waits_at(next[warp])) {  // a waiting warp keeps its position
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

PrecedenceString random_string(const netgen::KernelInstance& instance, std::uint64_t seed,
                               std::uint64_t stream) {
    PrecedenceString string = fixed_priority_string(instance);
    CounterRandom random(seed, stream);
    for (std::size_t p = string.size(); p > 1; --p)
        std::swap(string[p - 1], string[random.below(static_cast<std::uint32_t>(p))]);
    return string;
}

PrecedenceString start_string(const netgen::KernelInstance& instance, SearchStart start, std::uint64_t seed,
                              std::uint64_t stream) {
    if (start == SearchStart::round_robin) return round_robin_string(instance);
    if (start == SearchStart::fixed_priority) return fixed_priority_string(instance);
    if (start == SearchStart::most_pending) return most_pending_string(instance);
    return random_string(instance, seed, stream);
}

}  // namespace warpnet::worst
