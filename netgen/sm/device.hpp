#pragma once

#include "netgen/sm/kernel_profile.hpp"
#include "netgen/sm/limits.hpp"
#include "netgen/sm/mechanisms.hpp"

#include <cstdint>
#include <string>

namespace warpnet::netgen {

/// The data of a GPU that the family `sm` needs. Latencies in cycles of the SM clock, lanes per SM.
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
    double conflict_latency = 0;  ///< added to the latency of shared memory by each further pass
    double l1_latency = 82, l2_latency = 225, dram_latency = 379;
    double dram_gbs = 100, dram_efficiency = 0.9;
    double l2_sectors = 1;           ///< sectors of 32 bytes per cycle, for each SM
    double l2_slices = 0;            ///< parts of L2 that serve one sector per cycle each; 0: unknown
    double launch_us = 1.4;          ///< from launch to the first block, and from the last block to the end
    double event_us = 0;             ///< time that two events around a launch add to their difference
    double atomic_cycles = 0;        ///< per thread, for an atomic on a word that all threads use; 0: unknown
    double float_atomic_cycles = 0;  ///< the same in single precision; 0: as atomic_cycles
    double store_cost = 1;           ///< sectors that L2 reads in the time of one stored sector
    double block_launch = 25;        ///< cycles between two block launches on an SM
    /// ALU slots of integer instructions: of unknown kind; additions and logic; comparisons; shifts;
    /// multiplications.
    double integer_cost = 2, logic_cost = 1, compare_cost = 2, shift_cost = 2, multiply_cost = 3;
    double branch_latency = 12;
    double barrier_latency = 12;
    double loads_in_flight = 2;   ///< of a warp
    double scatter_sectors = 16;  ///< a request of more sectors is scattered …
    double scatter_cost = 2;  ///< … and costs this multiple of its sectors in DRAM, and as a store also in L2
    double texture_cycles = 0.5;  ///< per transaction, on the global-load path
    double port_sectors = 2;      ///< sectors per cycle that one SM can get from L2 at most
    /// Counters count lines of 128 bytes instead of sectors of 32 bytes (compute capability 3.x).
    bool line_transactions = false;
    /// Two pipes, FMA and ALU, which a scheduler serves in turn (compute capability 7.x and 8.0).
    bool two_pipes = false;
    bool fuses = false;  ///< ptxas combines two additions or two logic operations into one instruction
    /// Cycles of shared memory for 128 bytes; 0: as many as the load/store lanes need for 32 lanes.
    double shared_pass_cycles = 0;
    bool fma_halves = false;    ///< FMA has two halves, one of which multiplies integers; ALU is a third pipe
    bool line_passes = false;   ///< a request to global memory takes a pass for each line of 128 bytes
    bool cold_start = false;    ///< launch_us is the time of a kernel that neither reads nor writes
    bool counted_dram = false;  ///< the counters of DRAM include the full cost of scattered requests
    double l1_bytes = 0;        ///< of L1 and shared memory together; 0: L1 keeps no global loads
    SmMechanisms mechanisms = {};
    bool operator==(const SmDevice&) const = default;
};

/// Blocks of the kernel that are resident on an SM at once. Throws InputError with its name and the limit if
/// the launch would fail.
std::int64_t resident_blocks(const SmDevice& device, const KernelProfile& kernel);

/// The work of the busiest SM: whole waves, in which each SM has as many blocks as fit, and the last wave.
struct SmWaves {
    std::int64_t full = 0;  ///< whole waves
    std::int64_t last = 0;  ///< blocks of the busiest SM in the last wave; 0: there are only whole waves
    double last_sms = 0;  ///< SMs that the last wave would fill if each had as many blocks as the busiest one
};
SmWaves waves_of_busiest_sm(const SmDevice& device, const KernelProfile& kernel);

/// Blocks on the busiest SM: ceil(blocks / SMs).
std::int64_t blocks_of_busiest_sm(const SmDevice& device, const KernelProfile& kernel);

/// SMs that get a block at all.
std::int64_t active_sms(const SmDevice& device, const KernelProfile& kernel);

}  // namespace warpnet::netgen
