#pragma once

#include "netgen/kernel/kernel.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace warpnet {

/// What "an instruction of sub-block k goes before one of sub-block k+1" means for the instructions outside
/// the repeated sub-block ([Raravi10] leaves it open).
enum class FermiFairness : std::uint8_t {
    none,        ///< any work-conserving scheduler
    sub_blocks,  ///< the prelude counts to the first sub-block, the store to the last one
    own_levels,  ///< prelude and store are levels of their own, before the first and after the last sub-block
};

inline constexpr int fermi_warp_threads = 16;

/// The template C (L L C)^repeat L of [Raravi10] on one SM: the last L is a store, 2 CUDA-core and 1
/// load/store instruction a cycle, warps of 16 threads.
struct FermiSpec {
    int threads = 16;  ///< on this SM, at least 1
    int repeat = 1;    ///< how often the sub-block LLC appears, at least 1
    FermiFairness fairness = FermiFairness::sub_blocks;
    /// The paper's text says that one or two warps are selected a cycle, its Fig. 3a executes three.
    std::optional<int> schedulers = {};
};

/// The template as a kernel. Throws InputError for numbers out of range.
KernelSpec fermi_kernel(const FermiSpec& spec);

/// The conjectured bound FT = 3 w + 2 + 2 w (repeat - 1) with w = ceil(threads / 16) warps, in cycles (seed
/// 003, section III). It is *not* a bound in general: it fails for w = 1 with repeat > 1, without fairness
/// and with two schedulers. Throws InputError for numbers below 1.
std::int64_t fermi_bound(std::int64_t threads, std::int64_t repeat);

/// The kernel's conjectured bound: the largest FT over the SMs, given the threads on each.
std::int64_t fermi_kernel_bound(std::span<const std::int64_t> threads_per_sm, std::int64_t repeat);

}  // namespace warpnet
