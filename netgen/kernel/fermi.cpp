#include "netgen/kernel/fermi.hpp"

#include "engine/net/error.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpnet {
namespace {

/// Above these the closed form could overflow; no SM comes near.
constexpr std::int64_t max_argument = 1'000'000'000;

void expect_in_range(const char* what, std::int64_t value) {
    if (value < 1 || value > max_argument)
        throw InputError(
            fmt::format("fermi template, {}: expected 1 to {}, found {}", what, max_argument, value));
}

std::int64_t warps_of(std::int64_t threads) {
    return (threads + fermi_warp_threads - 1) / fermi_warp_threads;
}

}  // namespace

KernelSpec fermi_kernel(const FermiSpec& spec) {
    expect_in_range("threads", spec.threads);
    expect_in_range("repeat", spec.repeat);
    KernelSpec kernel{.string = "C",
                      .warps = static_cast<int>(warps_of(spec.threads)),
                      .units = {{'C', {2, 1}}, {'L', {1, 1}}},
                      .schedulers = spec.schedulers,
                      .level = {}};
    const bool own_levels = spec.fairness == FermiFairness::own_levels;
    std::vector<int> level{own_levels ? 0 : 1};
    for (int block = 1; block <= spec.repeat; ++block) {
        kernel.string += "LLC";
        level.insert(level.end(), 3, block);
    }
    kernel.string += 'L';
    level.push_back(own_levels ? spec.repeat + 1 : spec.repeat);
    if (spec.fairness != FermiFairness::none) kernel.level = std::move(level);
    return kernel;
}

std::int64_t fermi_bound(std::int64_t threads, std::int64_t repeat) {
    expect_in_range("threads", threads);
    expect_in_range("repeat", repeat);
    const std::int64_t warps = warps_of(threads);
    return 3 * warps + 2 + 2 * warps * (repeat - 1);
}

std::int64_t fermi_kernel_bound(std::span<const std::int64_t> threads_per_sm, std::int64_t repeat) {
    if (threads_per_sm.empty()) throw InputError("fermi template: expected the threads of at least one SM");
    std::int64_t bound = 0;
    for (const std::int64_t threads : threads_per_sm) bound = std::max(bound, fermi_bound(threads, repeat));
    return bound;
}

}  // namespace warpnet
