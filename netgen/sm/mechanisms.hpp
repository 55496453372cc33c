#pragma once

#include <span>
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

}  // namespace warpnet::netgen
