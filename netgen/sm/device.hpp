#pragma once

#include "netgen/sm/kernel_profile.hpp"
#include "netgen/sm/limits.hpp"
#include "netgen/sm/mechanisms.hpp"

#include <cstdint>
#include <string>

namespace warpnet::netgen {

/// What the family `sm` needs to know of a GPU. Latencies in cycles of the SM clock, lanes per SM.
struct SmDevice {
    std::string name;
    std::int64_t sms = 1;
    std::int64_t schedulers = 4;
    double issue = 1;  ///< instructions a scheduler can issue in a cycle, 2: dual issue
    double clock_mhz = 1000;
    SmLimits limits;
    double fp32_lanes = 128, fp64_lanes = 4, special_lanes = 32, convert_lanes = 32, ldst_lanes = 32;
    double convert64_lanes = 4;  ///< conversions from and to 64-bit types
    double alu_latency = 6, fp64_latency = 48, shared_latency = 24;
    double conflict_latency = 0;  ///< what each further pass adds to the latency of shared memory
    double l1_latency = 82, l2_latency = 225, dram_latency = 379;
    double dram_gbs = 100, dram_efficiency = 0.9;
    double l2_sectors = 1;           ///< sectors of 32 bytes per cycle, for each SM
    double l2_slices = 0;            ///< parts of L2 that serve a sector a cycle each; 0: not known
    double launch_us = 1.4;          ///< from launch to the first block, and from the last block to the end
    double event_us = 0;             ///< what two events around a launch add to the time between them
    double atomic_cycles = 0;        ///< of a thread's atomic on a word that all threads use; 0: not known
    double float_atomic_cycles = 0;  ///< the same in single precision; 0: as others
    double store_cost = 1;           ///< sectors read from L2 in the time that it takes one
    double block_launch = 25;        ///< cycles between two block launches on an SM
    /// ALU slots of integer instructions: of unknown kind; additions and logic; comparisons; shifts;
    /// multiplications.
    double integer_cost = 2, logic_cost = 1, compare_cost = 2, shift_cost = 2, multiply_cost = 3;
    double branch_latency = 12;
    double barrier_latency = 12;
    double loads_in_flight = 2;   ///< of a warp
    double scatter_sectors = 16;  ///< a request of more sectors is scattered …
    double scatter_cost = 2;      ///< … and costs so many times its sectors in DRAM, as a store in L2 too
    double texture_cycles = 0.5;  ///< of the global-load path for a transaction
    double port_sectors = 2;  ///< sectors that one SM can get from L2 in a cycle, whatever the others leave
    /// Counters count lines of 128 bytes where other devices count sectors of 32 (compute capability 3.x).
    bool line_transactions = false;
    /// Two pipes, FMA and ALU, which a scheduler serves in turn (compute capability 7.x and 8.0).
    bool two_pipes = false;
    bool fuses = false;  ///< ptxas makes one instruction of two additions or two logic operations
    /// Cycles that shared memory takes for 128 bytes; 0: as long as the load/store lanes for 32 lanes.
    double shared_pass_cycles = 0;
    bool fma_halves = false;    ///< FMA has two halves, of which one multiplies integers; ALU is a third pipe
    bool line_passes = false;   ///< a request to global memory takes a pass for each line of 128 bytes
    bool cold_start = false;    ///< launch_us is that of a kernel that neither reads nor writes
    bool counted_dram = false;  ///< counters of DRAM have all that scattered requests cost there
    double l1_bytes = 0;        ///< of L1 and shared memory together; 0: L1 keeps no global loads
    SmMechanisms mechanisms = {};
    bool operator==(const SmDevice&) const = default;
};

/// Blocks of the kernel that are resident on an SM at a time. Throws InputError with its name and the limit
/// if the launch would fail.
std::int64_t resident_blocks(const SmDevice& device, const KernelProfile& kernel);

/// What the busiest SM works through: whole waves, in which every SM has as many blocks as fit, and the last
/// wave.
struct SmWaves {
    std::int64_t full = 0;  ///< whole waves
    std::int64_t last = 0;  ///< blocks of the busiest SM in the last wave; 0: the whole waves are all
    double last_sms = 0;    ///< so many SMs with as many blocks as the busiest would do the last wave
};
SmWaves waves_of_busiest_sm(const SmDevice& device, const KernelProfile& kernel);

/// Blocks on the busiest SM: ceil(blocks / SMs).
std::int64_t blocks_of_busiest_sm(const SmDevice& device, const KernelProfile& kernel);

/// SMs that get a block at all.
std::int64_t active_sms(const SmDevice& device, const KernelProfile& kernel);

}  // namespace warpnet::netgen
