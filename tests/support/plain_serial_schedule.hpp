#pragma once

#include "analysis/worst/kernel/annealing.hpp"
#include "engine/base/random.hpp"
#include "netgen/kernel/kernel.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace warpnet::testing {

/// The algorithm of [Berezovskyi13] figure 4, exactly as printed. It judges fast schedulers, and is the work
/// of a plain implementation of the paper for every candidate. Returns the cycle of each position, from 0.
template <typename String>
std::vector<int> plain_serial_schedule(const netgen::KernelInstance& instance, const String& string) {
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

struct PlainAnnealing {
    int best = 0;
    std::uint64_t iterations = 0;
    std::uint64_t evaluations = 0;  ///< candidates that differ from their string
};

/// [Berezovskyi13] section V, written from the paper: a candidate is the string with two positions exchanged,
/// and its whole string is scheduled. Only the random numbers are those of the library's chain, in the same
/// order. Ends early when `target` is reached.
inline PlainAnnealing plain_paper_annealing(const netgen::KernelInstance& instance,
                                            const worst::AnnealingOptions& options,
                                            worst::PrecedenceString string, std::uint32_t chain,
                                            std::optional<int> target = {}) {
    int value = makespan(plain_serial_schedule(instance, string));
    PlainAnnealing result{.best = value};
    const std::uint64_t key = hash_bits(options.seed, chain);
    worst::PrecedenceString candidate = string;
    while (result.iterations < options.iterations && !(target && result.best >= *target)) {
        const double temperature = options.temperature * (1 - static_cast<double>(result.iterations) /
                                                                  static_cast<double>(options.iterations));
        CounterRandom random(key, result.iterations++);
        random.below(1);  // the library draws a kind of move here
        const std::size_t a = random.below(static_cast<std::uint32_t>(string.size()));
        const std::size_t b = random.below(static_cast<std::uint32_t>(string.size()));
        if (string[a] == string[b]) continue;
        candidate = string;
        std::swap(candidate[a], candidate[b]);
        ++result.evaluations;
        const int m = makespan(plain_serial_schedule(instance, candidate));
        if (m >= value || random.uniform() * (value - m) < temperature) {
            string = candidate;
            value = m;
        }
        result.best = std::max(result.best, value);
    }
    return result;
}

}  // namespace warpnet::testing
