#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace warpnet::netgen {

/// The resources of an SM and the units of their allocation. The defaults are those of a Maxwell GPU with 48
/// KiB of shared memory.
struct SmLimits {
    std::int64_t warps = 64;
    std::int64_t blocks = 32;
    std::int64_t registers = 65536;
    std::int64_t shared_bytes = 49152;

    // Of one block, of one thread.
    std::int64_t block_registers = 65536;
    std::int64_t thread_registers = 255;
    std::int64_t block_shared_bytes = 49152;  ///< with the opt-in attribute, if there is one

    std::int64_t partitions = 4;       ///< equal parts of the register file, each with its own warps
    std::int64_t register_unit = 256;  ///< registers of a warp are a multiple of this
    std::int64_t warp_unit = 4;      ///< a launch check rounds the warps of a block up to a multiple of this
    std::int64_t shared_unit = 256;  ///< bytes of shared memory of a block are a multiple of this
    std::int64_t reserved_shared_bytes = 0;  ///< of each block, for the driver
    bool operator==(const SmLimits&) const = default;
};

/// A row of the table of limits.
struct ComputeCapability {
    std::string_view name;  ///< "8.6"
    SmLimits limits;
};

/// All compute capabilities from 2.0 on, in rising order [CUDA Programming Guide, technical specifications;
/// CUDA occupancy calculator].
std::span<const ComputeCapability> compute_capabilities();

/// The limits of a compute capability; nothing for a name that is not in the table.
const SmLimits* find_limits(std::string_view compute_capability);

/// The resources that a block needs of an SM.
struct BlockShape {
    std::int64_t threads = 32;
    std::int64_t registers = 0;  ///< of a thread; 0: unknown, no limit
    std::int64_t shared_bytes = 0;
};

/// Blocks that are resident on an SM at once, as in NVIDIA's occupancy calculator: the least number that
/// warps, block slots, registers and shared memory allow. At least 1. Throws InputError that names the limit
/// if the launch would fail.
std::int64_t resident_blocks(const SmLimits& limits, const BlockShape& block);

}  // namespace warpnet::netgen
