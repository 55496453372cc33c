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
    double transactions = 0;   ///< through the load path, per request: the "transactions" of counters
    double sectors = 0;        ///< of 32 bytes that reach L2, per request
    double dense_sectors = 0;  ///< the same if its bytes are contiguous; 0: unknown, as with counters
    double l1_share = 0;       ///< the share of requests that L1 serves, 0 … 1
    double dram_share = 0;     ///< the share of requests that DRAM serves, 0 … 1; L2 serves the rest
    double passes = 0;         ///< of the load/store path, per request: wavefronts; 0: unknown
    /// The share of requests whose sectors the same warp loaded before, 0 … 1. All further requests that L1
    /// serves may hit what another warp is fetching. 1: unknown.
    double again = 1;
    /// The share of sectors that the block loaded shortly before (by the addresses in PTX), 0 … 1. They are
    /// not part of l1_share. L1 serves them if the device's L1 keeps them.
    double repeated = 0;
    double live_bytes = 0;  ///< of a block: bytes that L1 has to keep for these hits
    /// Bytes that the requests of the whole kernel touch; 0: unknown. In a wave of blocks none of them comes
    /// from DRAM twice.
    double footprint = 0;
    /// The share of the sectors reaching L2 that DRAM serves.
    double dram_part() const { return l1_share < 1 ? std::min(1.0, dram_share / (1 - l1_share)) : 0; }
    bool operator==(const MemoryRequests&) const = default;
};

/// Instructions of a warp that ptxas generates for divisions, roots and similar PTX operations, in addition
/// to those that KernelProfile counts. Negative for instructions that are counted and not generated.
struct MachineRoutines {
    double fp32 = 0, integer = 0, logic = 0, compares = 0, shifts = 0, multiplies = 0, fp64 = 0, convert = 0,
           special = 0, other = 0, branches = 0;
    void add(const MachineRoutines& routines, double times);
    bool operator==(const MachineRoutines&) const = default;
};

/// The shares of a warp's instructions that wait for one another; all further instructions overlap with them.
/// 1: all wait, which is also the value if nothing is known.
struct WaitingShares {
    double alu = 1, fp64 = 1, special = 1, shared = 1, loads = 1;
    bool known = false;  ///< from the code
    bool operator==(const WaitingShares&) const = default;
};

/// The data of a kernel that the family `sm` needs: its launch shape and the instructions that one warp
/// executes on average. It comes from hardware counters (netgen/sm/kernel_metrics.hpp), from PTX counts, or
/// from the user. It contains no result of a run (time, ipc, occupancy, stalls).
struct KernelProfile {
    std::string name;
    std::int64_t blocks = 1;
    std::int64_t threads = 32;      ///< of a block
    std::int64_t registers = 0;     ///< of a thread; 0: unknown, no limit
    std::int64_t shared_bytes = 0;  ///< of a block

    // Warp instructions that one warp executes.
    double fp32 = 0;
    /// The part of `fp32` that may be comparisons, minima or selections of floating-point numbers, which run
    /// on another pipe. Counters put them into one class with additions and multiplications.
    double fp32_any = 0;
    double integer = 0;  ///< arithmetic, logic, comparisons and shifts that are not distinguished
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
    // The arithmetic again, by the pipes of compute capability 9.0 that executed it; all 0: unknown.
    double alu_pipe = 0, fma_pipe = 0;
    double fma_heavy_pipe = 0;  ///< the part of fma_pipe on the half that multiplies integers
    double shuffles = 0;  ///< between the threads of a warp, with the path and the latency of shared memory
    double branches = 0;
    double barriers = 0;
    double shared_loads = 0;
    double shared_stores = 0;
    double shared_load_transactions = 1;       ///< per request; 1: no bank conflict
    double shared_store_transactions = 1;      ///< per request
    double local_accesses = 0;                 ///< loads from thread-local memory, served by L1
    double local_stores = 0;                   ///< stores to thread-local memory: no warp waits for them
    double spill_loads = 0, spill_stores = 0;  ///< of 4 bytes, added by ptxas to these: executed once each
    MemoryRequests loads;
    MemoryRequests stores;
    WaitingShares waiting;
    MachineRoutines routines;
    MachineRoutines fused;  ///< saved by devices that add and combine three values in one instruction

    double dual_issue = 0;  ///< share of the instructions that are issued together with the one before, 0 … 1
    /// DRAM traffic of the whole kernel in bytes, if known. Includes texture reads, which no load counter
    /// sees.
    double dram_bytes = 0;
    /// Sectors that a warp loads from L2 at addresses that are the same in each block, and the number of
    /// lines of 128 bytes that contain them. No counter has them.
    double common_sectors = 0, common_lines = 1;
    /// Atomics of the threads of a warp on a word of global memory that all threads of the launch use.
    double one_word_atomics = 0;
    double one_word_float_atomics = 0;  ///< the same in single precision: not in one_word_atomics
    double atomics = 0;         ///< requests to global memory that are atomics, counted besides `stores`
    double atomic_sectors = 0;  ///< of all these atomics in L2, per warp
    /// The share of the warps of a block that are idle, from 0 to below 1. The remaining warps execute all
    /// the instructions given here for the mean warp.
    double idle_share = 0;
    double replays = 0;                 ///< issues of an instruction beyond the first, on average
    std::vector<std::string> unknowns;  ///< facts about the kernel that the source of this profile lacks
    /// Work that no net of this profile does. A bound of the net is then no certificate for the kernel.
    std::vector<std::string> uncounted = {};
    std::int64_t working = 0;  ///< warps of a block that are not idle (working_profile()); 0: all
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

/// The values for an unknown kernel: requests of 32 neighbouring words (4 sectors), all served by DRAM.
KernelProfile streaming_profile();

/// The kernel with all its instructions on the working warps, a whole number and at least one. Returns the
/// kernel itself if all warps work. Barriers stay, because each warp has its own.
KernelProfile working_profile(KernelProfile kernel);

/// The kernel as counters describe it, with the facts that only its code has: which instructions wait for one
/// another, barriers without a counter, kinds of integers, atomics on one word, and repeated loads.
KernelProfile with_code(KernelProfile counted, const KernelProfile& code);

/// The kernel with these additional instructions; no count falls below zero.
KernelProfile with_routines(KernelProfile kernel, const MachineRoutines& routines);

/// The names of the numbers of a KernelProfile, for tables and the command line.
std::span<const std::string_view> profile_fields();

/// The unit of a number, for people: "/warp" is a mean over the warps, "/request" over their requests.
struct ProfileField {
    std::string_view name;
    std::string_view unit;
    std::string_view meaning;
};

/// The same names in the same order.
std::span<const ProfileField> described_profile_fields();

/// Whether a field is a whole number: blocks, threads, registers, shared_bytes.
bool is_whole_profile_field(std::string_view field);

/// Sets a field. Returns false if there is no field of that name. A whole number is rounded to the nearest
/// one. Nothing is checked (validate()).
bool set_profile_field(KernelProfile& kernel, std::string_view field, double value);

/// Throws InputError (with the kernel's name) if a value is negative, no number, or out of the range defined
/// above.
void validate(const KernelProfile& kernel);

}  // namespace warpnet::netgen
