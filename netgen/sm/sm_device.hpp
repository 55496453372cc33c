#pragma once

#include "netgen/sm/kernel_profile.hpp"

#include <cstdint>
#include <string>

namespace warpnet {

/// What the family `sm` needs to know of a GPU. Latencies in cycles of the SM clock, lanes per SM.
struct SmDevice {
    std::string name;
    std::int64_t sms = 1;
    std::int64_t schedulers = 4;
    double issue = 1;  ///< instructions a scheduler can issue in a cycle, 2: dual issue
    double clock_mhz = 1000;
    std::int64_t max_warps = 64;  ///< resident on an SM
    std::int64_t max_blocks = 32;
    std::int64_t registers = 65536;
    std::int64_t shared_bytes = 49152;
    double fp32_lanes = 128, fp64_lanes = 4, special_lanes = 32, convert_lanes = 32, ldst_lanes = 32;
    double alu_latency = 6, fp64_latency = 48, shared_latency = 24;
    double l1_latency = 82, l2_latency = 225, dram_latency = 379;
    double dram_gbs = 100, dram_efficiency = 0.9;
    double l2_sectors = 1;     ///< sectors of 32 bytes a cycle, for each SM
    double launch_us = 1.4;    ///< from launch to the first block, and from the last block to the end
    double block_launch = 25;  ///< cycles between two block launches on an SM
    double integer_cost = 2;   ///< ALU slots of an integer instruction
    double branch_latency = 12;
    double barrier_latency = 12;
    double loads_in_flight = 2;   ///< of a warp
    double scatter_sectors = 16;  ///< a request of more sectors is scattered …
    double scatter_cost = 2;      ///< … and costs so many times its sectors in DRAM, as a store in L2 too
    double texture_cycles = 0.5;  ///< of the global-load path for a transaction
    bool operator==(const SmDevice&) const = default;
};

/// Blocks of the kernel that are resident on an SM at a time: the least of what warps, blocks, registers
/// (rounded up to 256 a warp) and shared memory allow. Throws InputError where not one block fits.
std::int64_t resident_blocks(const SmDevice& device, const KernelProfile& kernel);

/// Blocks on the busiest SM: ceil(blocks / SMs).
std::int64_t blocks_of_busiest_sm(const SmDevice& device, const KernelProfile& kernel);

/// SMs that get a block at all.
std::int64_t active_sms(const SmDevice& device, const KernelProfile& kernel);

/// Issue slots of an instruction: 1, and less where the scheduler can issue two at once and the kernel lets
/// it.
double issue_slots(const SmDevice& device, const KernelProfile& kernel);

/// How many times its sectors a request costs: 1, and more where it is scattered.
double scatter_factor(const SmDevice& device, const MemoryRequests& requests);

/// Sectors of 32 bytes that DRAM gives one SM in a cycle while all active ones ask for them.
double dram_sectors_per_cycle(const SmDevice& device, const KernelProfile& kernel);

}  // namespace warpnet
