#pragma once

#include "engine/base/round_up.hpp"
#include "netgen/code/ptx_input.hpp"
#include "netgen/sm/device_input.hpp"
#include "netgen/sm/kernel_profile.hpp"
#include "netgen/warps/warps.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpnet::netgen {

// The kernels and devices that a user chooses, and the launch of a kernel on an SM of a device.

/// The blocks of a launch on the busiest SM of a device.
struct LaunchOnSm {
    std::int64_t block_warps = 1;  ///< of a block
    std::int64_t blocks = 1;       ///< in all
    std::int64_t resident = 1;     ///< blocks that the SM executes at once

    std::int64_t warps() const { return block_warps * resident; }
    /// Rounds of `resident` blocks; the last one may have fewer.
    std::int64_t waves() const { return divided_up(blocks, resident); }
};

/// Throws InputError if no block fits on an SM.
LaunchOnSm launch_on_sm(const KernelProfile& kernel, const SmDevice& device);
/// The same; one block if no device is given.
LaunchOnSm launch_on_sm(const KernelProfile& kernel, const DeviceInput& device);

/// The counts of one warp of a kernel in the classes of the family `warps`: arithmetic, shared, global.
std::array<double, 3> warp_classes(const KernelProfile& kernel);

/// A kernel in the classes of the family `warps`.
struct CountedKernel {
    WarpCounts counts;                          ///< of a warp, or the largest of any warp
    std::optional<KernelProfile> profile = {};  ///< with the shape of its launch, if it is known
    std::vector<WarpCounts> block = {};         ///< the warps of a block, if their number is known
};

CountedKernel counted_kernel(const PtxInput& ptx, const PtxReport& report);
CountedKernel counted_kernel(const KernelProfile& kernel);

/// Adds the warps that the SM executes at once to the spec. REQUIRES: kernel.block.
void add_warps(const CountedKernel& kernel, const LaunchOnSm& launch, WarpsSpec& spec);

/// Throws UsageError for more than `most_warps` warps in total, and if no warp has an instruction. REQUIRES:
/// at least one warp.
void check_warps(const WarpsSpec& spec, std::size_t most_warps);

/// "200,50,20": ARITH,SHARED,GLOBAL. Throws UsageError.
WarpCounts parse_warp(const std::string& text, Tokens most);

/// Fields of a KernelProfile with their values, in the given order.
using ProfileFields = std::vector<std::pair<std::string, double>>;
/// Throws UsageError if a field is given twice.
void add_field(const std::string& flag, const std::string& field, double value, ProfileFields& fields);
/// "fp32=40,loads=2": adds to the fields. Throws UsageError.
void parse_counts(const std::string& text, ProfileFields& fields);

}  // namespace warpnet::netgen
