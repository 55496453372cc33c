#pragma once

#include "analysis/worst/kernel/annealing.hpp"
#include "engine/base/random.hpp"
#include "tests/support/plain_serial_schedule.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace warpnet::testing {

struct PlainAnnealing {
    int best = 0;
    std::uint64_t iterations = 0;
    std::uint64_t evaluations = 0;  ///< candidates that differ from their string
};

/// [Berezovskyi13] section V, written from the paper: a candidate is the string with two positions exchanged,
/// and its whole string is scheduled. Only the random numbers are those of the library's chain, in the same
/// order. Ends early once `target` is reached.
inline PlainAnnealing plain_paper_annealing(const KernelInstance& instance, const AnnealingOptions& options,
                                            PrecedenceString string, std::uint32_t chain,
                                            std::optional<int> target = {}) {
    int value = makespan(plain_serial_schedule(instance, string));
    PlainAnnealing result{.best = value};
    const std::uint64_t key = hash_bits(options.seed, chain);
    PrecedenceString candidate = string;
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
