#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// The global-memory requests of one direction (loads or stores) that one warp makes on average.
struct MemoryRequests {
    double requests = 0;       ///< warp instructions of one warp
    double transactions = 0;   ///< through the load path, per request: what counters call transactions
    double sectors = 0;        ///< of 32 bytes that reach L2, per request
    double dense_sectors = 0;  ///< the same if its bytes lie side by side; 0: unknown, as counters leave it
    double l1_share = 0;       ///< of the requests that L1 serves, 0 … 1
    double dram_share = 0;     ///< of the requests that go to DRAM, 0 … 1; what is left L2 serves
    double passes = 0;         ///< of the load/store path, per request: wavefronts; 0: not known
    /// Of the requests, the share whose sectors the same warp asked for before, 0 … 1. Others that L1 serves
    /// may ask for what another warp is fetching. 1: not known.
    double again = 1;
    /// Of the sectors, the share that the block asked for shortly before (from addresses in PTX), 0 … 1: they
    /// are not in l1_share, and L1 serves them if the device's L1 keeps them.
    double repeated = 0;
    double live_bytes = 0;  ///< of a block: what L1 has to keep for that
    /// Bytes that the requests of the whole kernel touch; 0: not known. In a wave of blocks none of them
    /// comes from DRAM twice.
    double footprint = 0;
    /// Of the sectors that reach L2, the share that goes to DRAM.
    double dram_part() const { return l1_share < 1 ? std::min(1.0, dram_share / (1 - l1_share)) : 0; }
    bool operator==(const MemoryRequests&) const = default;
};

/// Instructions of a warp that ptxas makes of the divisions, roots and other operations of PTX which are no
/// instruction of the machine, beyond those that KernelProfile counts; negative: counted there and not made.
struct MachineRoutines {
    double fp32 = 0, integer = 0, logic = 0, compares = 0, shifts = 0, multiplies = 0, fp64 = 0, convert = 0,
           special = 0, other = 0, branches = 0;
    void add(const MachineRoutines& routines, double times);
    bool operator==(const MachineRoutines&) const = default;
};

/// Of the instructions of a warp, the shares that wait for one another; the others overlap with them. 1: all
/// do, as where nothing is known of it.
struct WaitingShares {
    double alu = 1, fp64 = 1, special = 1, shared = 1, loads = 1;
    bool known = false;  ///< from the code
    bool operator==(const WaitingShares&) const = default;
};

/// What the family `sm` needs to know of a kernel: its launch shape and what one warp of it executes on
/// average. Filled from hardware counters (netgen/sm/kernel_metrics.hpp), from PTX counts, or by hand. No
/// outcome of a run (time, ipc, occupancy, stalls) is in it.
struct KernelProfile {
    std::string name;
    std::int64_t blocks = 1;
    std::int64_t threads = 32;      ///< of a block
    std::int64_t registers = 0;     ///< of a thread; 0: no limit known
    std::int64_t shared_bytes = 0;  ///< of a block

    // Warp instructions that one warp executes.
    double fp32 = 0;
    /// Of `fp32`, those that may be comparisons, minima or selections of floating-point numbers, which run on
    /// another pipe: counters put them into one class with additions and multiplications.
    double fp32_any = 0;
    double integer = 0;  ///< arithmetic, logic, comparisons, shifts that are not told apart
    // Integer instructions of a known kind, not in `integer`.
    double logic = 0;       ///< additions, subtractions, bitwise logic
    double compares = 0;    ///< comparisons, minima, maxima, selections
    double shifts = 0;      ///< shifts and bit fields
    double multiplies = 0;  ///< multiplications and multiply-additions
    double fp64 = 0;
    double convert = 0;    ///< conversions between types of at most 32 bits
    double convert64 = 0;  ///< conversions from and to 64-bit types
    double special = 0;    ///< sine, logarithm, reciprocal, …
    double other = 0;      ///< moves and the like: one slot of an ALU
    // The arithmetic again, by the pipes of compute capability 9.0 that executed it; all 0: not known.
    double alu_pipe = 0, fma_pipe = 0;
    double fma_heavy_pipe = 0;  ///< of fma_pipe, those on the half that multiplies integers
    double shuffles = 0;        ///< between the threads of a warp: the path and the latency of shared memory
    double branches = 0;
    double barriers = 0;
    double shared_loads = 0;
    double shared_stores = 0;
    double shared_load_transactions = 1;       ///< per request; 1: no bank conflict
    double shared_store_transactions = 1;      ///< per request
    double local_accesses = 0;                 ///< loads from thread-local memory, served by L1
    double local_stores = 0;                   ///< stores to thread-local memory: no warp waits for them
    double spill_loads = 0, spill_stores = 0;  ///< of 4 bytes, that ptxas added to these: executed once each
    MemoryRequests loads;
    MemoryRequests stores;
    WaitingShares waiting;
    MachineRoutines routines;
    MachineRoutines fused;  ///< what devices save that add and combine three values in one instruction

    double dual_issue = 0;  ///< share of the instructions that are issued together with the one before, 0 … 1
    /// Traffic of the whole kernel in bytes, where known: includes what no load counter sees (texture reads).
    double dram_bytes = 0;
    /// Sectors that a warp asks L2 for at addresses which are the same in every block, and on how many lines
    /// of 128 bytes those lie. No counter has them.
    double common_sectors = 0, common_lines = 1;
    /// Atomics of the threads of a warp on a word of global memory that all threads of the launch use.
    double one_word_atomics = 0;
    double one_word_float_atomics = 0;  ///< the same, of those in single precision: not in one_word_atomics
    double atomics = 0;         ///< requests to global memory that are atomics, counted besides `stores`
    double atomic_sectors = 0;  ///< that all of them ask of L2, per warp
    /// Of the warps of a block, the share that has nothing to do: the others execute all the instructions
    /// that the mean warp has here. 0 … below 1.
    double idle_share = 0;
    double replays = 0;                 ///< issues of an instruction beyond the first, on average
    std::vector<std::string> unknowns;  ///< what the source of this profile could not say of the kernel
    /// Work that no net of this profile does: a bound of the net is no certificate of the kernel.
    std::vector<std::string> uncounted = {};
    std::int64_t working = 0;  ///< warps of a block that do something (working_profile()); 0: all
    bool uneven = false;       ///< the warps are known to execute different numbers of instructions

    /// Warp instructions of one warp.
    double instructions() const {
        return fp32 + integer_instructions() + fp64 + convert + convert64 + special + other + shuffles +
               branches + barriers + shared_loads + shared_stores + local_accesses + local_stores +
               loads.requests + stores.requests + atomics;
    }
    double integer_instructions() const { return integer + logic + compares + shifts + multiplies; }
    std::int64_t warps_per_block() const { return (threads + 31) / 32; }
    std::int64_t working_warps() const { return working > 0 ? working : warps_per_block(); }
    bool operator==(const KernelProfile&) const = default;
};

/// What holds where nothing else is known: requests of 32 neighbouring words (4 sectors), all of them served
/// by DRAM.
KernelProfile streaming_profile();

/// The kernel with all its instructions on the warps that work, whole ones and at least one; itself where all
/// of them do. Barriers stay: each warp has its own.
KernelProfile working_profile(KernelProfile kernel);

/// The kernel as counters have it, with what its code alone says: which instructions wait for one another,
/// barriers that no counter has, kinds of integers, atomics on one word, loads that repeat.
KernelProfile with_code(KernelProfile counted, const KernelProfile& code);

/// The kernel with so many instructions more; no count falls below zero.
KernelProfile with_routines(KernelProfile kernel, const MachineRoutines& routines);

/// The names of the numbers of a KernelProfile, as people give them in a table or on the command line.
std::span<const std::string_view> profile_fields();

/// One of them, for people: "/warp" is a mean over the warps, "/request" one over their requests.
struct ProfileField {
    std::string_view name;
    std::string_view unit;
    std::string_view meaning;
};

/// The same names in the same order.
std::span<const ProfileField> described_profile_fields();

/// Whether a field is a whole number: blocks, threads, registers, shared_bytes.
bool is_whole_profile_field(std::string_view field);

/// Sets one of them. False if there is no field of that name. A whole number is rounded to the nearest
/// one; nothing is checked (validate()).
bool set_profile_field(KernelProfile& kernel, std::string_view field, double value);

/// Throws InputError (with the kernel's name) where a value is negative, no number, or out of the range that
/// is defined above.
void validate(const KernelProfile& kernel);

}  // namespace warpnet::netgen
