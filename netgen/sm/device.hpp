#pragma once

#include "netgen/sm/kernel_profile.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace warpnet::netgen {

/// Parts of the model that can be switched off, to measure the effect of each.
struct SmMechanisms {
    bool last_wave = true;         ///< bandwidth belongs to the blocks that run, in the last wave too
    bool wide_conversions = true;  ///< conversions from and to 64-bit types at their own rate
    bool load_lanes = true;        ///< global requests use the load/store lanes too
    bool replays = true;           ///< instructions that are issued again take issue slots
    bool integer_kinds =
        true;  ///< comparisons, shifts and multiplications at their own rates if they are counted separately
    bool local_stores = true;       ///< no warp waits for a store to local memory
    bool warm_caches = true;        ///< very short kernels hit in L2 where the profiler measured DRAM traffic
    bool line_transactions = true;  ///< counted lines of 128 bytes are four sectors
    bool run_clock = true;          ///< the clock of the measured run instead of that of the preset
    bool conflict_latency = true;   ///< an access to shared memory that takes several passes takes longer
    bool l2_counters = true;        ///< sectors as L2 counted them, if the requests only give lines
    bool common_lines = true;       ///< the L2 slice of a line serves it if all blocks read it
    bool addresses = true;     ///< facts from the addresses in PTX: bank conflicts, sectors, common lines
    bool idle_warps = true;    ///< idle warps leave the work to the remaining warps
    bool two_pipes = true;     ///< FMA and ALU are separate pipes on compute capability 7.x and 8.0
    bool wide_shared = true;   ///< further passes of shared memory take a cycle each on 8.6 to 8.9
    bool routines = true;      ///< divisions, roots and similar operations count with their ptxas routines
    bool fused = true;         ///< one instruction adds or combines three values (compute capability 7.5 on)
    bool sectors_once = true;  ///< L1 keeps the sectors that a block loads again (compute capability 7.0 on)
    bool footprint = true;     ///< no byte comes from DRAM twice in a wave of blocks
    bool overlap = true;       ///< instructions that do not wait for one another overlap
    bool atomics = true;       ///< atomics on one word of global memory take turns
    bool pending_hits = true;  ///< a hit on a sector that another warp is fetching waits for its arrival
    bool fma_halves = true;    ///< the halves of the FMA pipe and the ALU pipe on 9.0
    bool wavefronts = true;    ///< requests to global memory take a pass per line (9.0)
    bool store_rate = true;    ///< L2 takes stores at their own rate
    bool cold_start = true;    ///< a launch waits for its parameters and its last stores (9.0)
    bool counted_dram = true;  ///< the counted DRAM traffic is complete (9.0)
    bool code = true;          ///< facts that only the code has, in addition to the counters of a folder
    bool spills = true;        ///< spilled registers are stored to and loaded from local memory
    bool other_counters = true;  ///< collected counters imply some that were not collected
    bool operator==(const SmMechanisms&) const = default;
};

/// The names of the mechanisms ("last-wave", "run-clock", …).
std::span<const std::string_view> sm_mechanism_names();
/// Switches off a mechanism. Returns false if there is none of that name.
bool switch_off(SmMechanisms& mechanisms, std::string_view name);

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
