#pragma once

#include "netgen/kernel/kernel.hpp"

#include <cstdint>
#include <random>

namespace warpnet::testing {

struct KernelRange {
    int letters = 4;  ///< how many of C, L, S, D occur at most
    int length = 8;   ///< longest string
    int warps = 4;    ///< most warps
    int units = 3;    ///< largest lambda
    bool levels = true;
};

/// A random kernel, the same for the same seed on every machine. Runs of equal letters are as likely as
/// changes.
inline KernelSpec any_kernel(std::uint64_t seed, const KernelRange& range = {}) {
    std::mt19937_64 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); };
    constexpr const char* letters = "CLSD";
    KernelSpec spec;
    const int length = 1 + below(range.length);
    const int used = 1 + below(range.letters);
    while (static_cast<int>(spec.string.size()) < length)
        spec.string += spec.string.empty() || below(2) == 0 ? letters[below(used)] : spec.string.back();
    spec.warps = 1 + below(range.warps);
    for (int i = 0; i < used; ++i) spec.units[letters[i]] = {1 + below(range.units), 1};
    if (below(2) == 0) spec.schedulers = 1 + below(range.units + 2);
    if (range.levels && below(3) == 0)
        for (int i = 0; i < length; ++i) spec.level.push_back(below(5) - 2);
    return spec;
}

}  // namespace warpnet::testing
