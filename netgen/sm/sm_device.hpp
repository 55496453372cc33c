#pragma once

#include "netgen/sm/kernel_profile.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace warpnet::netgen {

/// What an SM holds, and in which portions it hands that out. The defaults are those of a Maxwell GPU with
/// 48 KiB of shared memory.
struct SmLimits {
    std::int64_t warps = 64;
    std::int64_t blocks = 32;
    std::int64_t registers = 65536;
    std::int64_t shared_bytes = 49152;

    // Of one block, of one thread.
    std::int64_t block_registers = 65536;
    std::int64_t thread_registers = 255;
    std::int64_t block_shared_bytes = 49152;  ///< with the opt-in attribute, where there is one

    std::int64_t partitions = 4;             ///< equal parts of the register file, each with its own warps
    std::int64_t register_unit = 256;        ///< registers of a warp are a multiple of this
    std::int64_t warp_unit = 4;              ///< the check of a launch rounds the warps of a block up to this
    std::int64_t shared_unit = 256;          ///< bytes of shared memory of a block are a multiple of this
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

/// The limits of one; nothing for a name that is not in the table.
const SmLimits* find_limits(std::string_view compute_capability);

/// What a block asks of an SM.
struct BlockShape {
    std::int64_t threads = 32;
    std::int64_t registers = 0;  ///< of a thread; 0: not known, they limit nothing
    std::int64_t shared_bytes = 0;
};

/// Blocks that are resident on an SM at a time, as NVIDIA's occupancy calculator has them: the least of what
/// warps, block slots, registers and shared memory allow. At least 1. Throws InputError that names the limit
/// if the launch would fail.
std::int64_t resident_blocks(const SmLimits& limits, const BlockShape& block);

/// Parts of the model that can be switched off, to see what each is worth.
struct SmMechanisms {
    bool last_wave = true;         ///< bandwidth belongs to the blocks that run, in the last wave too
    bool wide_conversions = true;  ///< conversions from and to 64-bit types at their own rate
    bool load_lanes = true;        ///< global requests use the load/store lanes too
    bool replays = true;           ///< instructions that are issued again take issue slots
    bool integer_kinds =
        true;  ///< comparisons, shifts, multiplications at their own rates where they are told apart
    bool local_stores = true;  ///< no warp waits for a store to local memory
    bool warm_caches = true;   ///< very short kernels find in L2 what the profiler had to fetch from DRAM
    bool line_transactions = true;  ///< counted lines of 128 bytes are four sectors
    bool run_clock = true;          ///< the clock of the measured run instead of that of the preset
    bool conflict_latency = true;   ///< an access to shared memory that takes several passes takes longer
    bool l2_counters = true;   ///< sectors as L2 counted them, where lines are all that the requests tell
    bool common_lines = true;  ///< lines that every block reads are served by the slice of L2 they lie in
    bool addresses = true;     ///< what the addresses in PTX show: bank conflicts, sectors, common lines
    bool idle_warps = true;    ///< warps that have nothing to do leave the work to the others
    bool two_pipes = true;     ///< FMA and ALU are separate pipes on compute capability 7.x and 8.0
    bool wide_shared = true;   ///< further passes of shared memory take a cycle each on 8.6 to 8.9
    bool routines = true;  ///< divisions, roots and the like take the instructions that ptxas makes of them
    bool fused = true;     ///< one instruction adds or combines three values (compute capability 7.5 on)
    bool sectors_once =
        true;               ///< L1 keeps the sectors that a block asks for again (compute capability 7.0 on)
    bool footprint = true;  ///< no byte comes from DRAM twice in a wave of blocks
    bool overlap = true;    ///< instructions that do not wait for one another overlap
    bool atomics = true;    ///< atomics on one word of global memory take turns
    bool pending_hits = true;    ///< L1 serves what another warp is fetching once it has arrived
    bool fma_halves = true;      ///< the halves of the FMA pipe and the ALU pipe on 9.0
    bool wavefronts = true;      ///< requests to global memory take a pass per line (9.0)
    bool store_rate = true;      ///< L2 takes stores at a rate of their own
    bool cold_start = true;      ///< a launch waits for its parameters and its last stores (9.0)
    bool counted_dram = true;    ///< counted traffic of DRAM is all there is (9.0)
    bool code = true;            ///< beside the counters of a folder, what only its code says
    bool spills = true;          ///< what ptxas spilled is stored to and loaded from local memory
    bool other_counters = true;  ///< counters that imply others which were not collected
    bool operator==(const SmMechanisms&) const = default;
};

/// The names of the mechanisms ("last-wave", "run-clock", …).
std::span<const std::string_view> sm_mechanism_names();
/// Switches one off. False where there is none of that name.
bool switch_off(SmMechanisms& mechanisms, std::string_view name);

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
    double l2_sectors = 1;           ///< sectors of 32 bytes a cycle, for each SM
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

/// The same of a kernel. Throws InputError with its name and the limit if the launch would fail.
std::int64_t resident_blocks(const SmDevice& device, const KernelProfile& kernel);

/// The kernel as the device executes it: routines of ptxas, warps that have nothing to do, what L1 keeps,
/// what DRAM delivers at most. Both the net and the closed form are of this kernel.
KernelProfile executed_profile(const SmDevice& device, const KernelProfile& kernel);

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

/// Slots of the ALU chain of an instruction: 1, and less where the scheduler can issue two at once and the
/// kernel lets it.
double chain_slots(const SmDevice& device, const KernelProfile& kernel);

/// Issue slots of an instruction: chain_slots(), and more where instructions are issued again.
double issue_slots(const SmDevice& device, const KernelProfile& kernel);

/// ALU slots of all the integer instructions of a warp, on one pipe with all other arithmetic.
double integer_slots(const SmDevice& device, const KernelProfile& kernel);

/// ALU slots of all the arithmetic of a warp: of its busiest pipe, in instructions at the rate of fp32. With
/// two pipes, FMA has single precision and multiplications, ALU has additions, logic, comparisons and shifts
/// of integers; the compiler and the hardware put the others where there is room.
double alu_slots(const SmDevice& device, const KernelProfile& kernel);

/// Cycles that an access to shared memory takes of the load/store path if it needs so many passes.
double shared_access_cycles(const SmDevice& device, double passes);

/// Conversions at the rate of 64-bit types, and the others.
double wide_conversions(const SmDevice& device, const KernelProfile& kernel);
double narrow_conversions(const SmDevice& device, const KernelProfile& kernel);

/// Which instructions of the kernel wait for one another on the device. A warp has no more loads in flight
/// than registers for their results; loads overlap at least as far as `loads_in_flight` says.
WaitingShares waiting_shares(const SmDevice& device, const KernelProfile& kernel);

/// Loads from global memory that a warp of the kernel has in flight at a time.
double loads_in_flight(const SmDevice& device, const KernelProfile& kernel);

/// Cycles between the dependent instructions of a warp that compute, on average over all of them: the latency
/// of those that wait, and at least one cycle to issue each.
double alu_interval(const SmDevice& device, const KernelProfile& kernel);

/// Cycles until a load from shared memory is there, bank conflicts included.
double shared_load_latency(const SmDevice& device, const KernelProfile& kernel);

/// Cycles until a load from global memory is there: the mean over the levels that serve the loads.
double mean_load_latency(const SmDevice& device, const KernelProfile& kernel);

/// How many times its sectors a request costs: 1, and more where it is scattered.
double scatter_factor(const SmDevice& device, const MemoryRequests& requests);
/// The same in DRAM: 1 if the kernel's traffic was counted where that is all.
double dram_scatter_factor(const SmDevice& device, const KernelProfile& kernel,
                           const MemoryRequests& requests);
/// Sectors that the stores of a warp and its atomics take of what L2 reads in the same time.
double l2_store_sectors(const SmDevice& device, const KernelProfile& kernel);

/// Cycles that a request to global memory takes of the load/store path, and one load of the path behind it.
double request_cycles(const SmDevice& device, const MemoryRequests& requests);
double load_path_cycles(const SmDevice& device, const MemoryRequests& loads);

/// What a launch takes beside its blocks: launch_us, and until its parameters and last stores have arrived.
double launch_us(const SmDevice& device);

/// Sectors of 32 bytes that one SM gets in a cycle from DRAM and from L2 while `sms` SMs ask for them alike.
double dram_sectors_per_cycle(const SmDevice& device, double sms);
double l2_sectors_per_cycle(const SmDevice& device, double sms);

}  // namespace warpnet::netgen
