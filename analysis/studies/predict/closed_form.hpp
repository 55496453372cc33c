#pragma once

#include "netgen/sm/device.hpp"
#include "netgen/sm/kernel_profile.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace warpnet::studies {

/// The number of blocks of a kernel that an SM holds at a time, and the resource that limits it.
struct Occupancy {
    struct Limit {
        std::string_view resource;           ///< "block slots", "warps", "registers", "shared memory"
        std::optional<std::int64_t> blocks;  ///< that it alone would allow; nothing: it is not used
    };
    std::int64_t blocks = 1;
    std::int64_t warps = 1;
    std::int64_t warp_slots = 1;  ///< of the SM
    std::array<Limit, 4> limits = {};

    double share() const { return static_cast<double>(warps) / static_cast<double>(warp_slots); }
    /// The resources that allow no more blocks than there are.
    std::vector<std::string_view> limited_by() const;
};

/// Throws InputError if the launch would fail (netgen::resident_blocks()).
Occupancy occupancy(const netgen::SmDevice& device, const netgen::KernelProfile& kernel);

/// The resources that can limit a kernel on an SM.
enum class SmBound : std::uint8_t {
    issue,         ///< instructions a scheduler can issue
    alu,           ///< slots of the arithmetic units
    fp64,          ///< double-precision units
    sfu,           ///< special functions and conversions
    lsu,           ///< shared-memory transactions and shuffles
    load_path,     ///< transactions of global loads
    l2,            ///< sectors of L2
    l2_slice,      ///< sectors of the L2 slice with the lines that every block reads
    atomics,       ///< atomics on a word that all threads use
    dram,          ///< rate of DRAM
    latency,       ///< the dependent instructions of one warp, or its loads, wave after wave
    block_launch,  ///< launching its blocks on an SM in succession
    launch,        ///< launching the kernel
};
inline constexpr std::size_t sm_bound_count = 13;
std::string_view to_string(SmBound bound);

/// The limits of a kernel with the constants of the net, and the estimate from them.
struct SmClosedForm {
    /// Lower bounds by SmBound: each resource separately, on the busiest SM, over all waves, without the time
    /// of launching the kernel, which is a bound of its own.
    std::array<double, sm_bound_count> cycles = {};
    double wave_cycles = 0;  ///< the largest of them for one whole wave
    /// The estimate: the largest of the whole waves, and the largest of the last one, with the time of the
    /// launch. It assumes that no load of a warp overlaps its other instructions.
    double us = 0;
    SmBound binding = SmBound::issue;  ///< the largest of the estimate
};

/// O(1). Throws InputError if the kernel is invalid or does not fit.
SmClosedForm sm_closed_form(const netgen::SmDevice& device, const netgen::KernelProfile& kernel);

/// The simplest estimate in use: the largest of issue, double precision, load/store and DRAM traffic, and
/// 1500 cycles for everything else. In microseconds.
double throughput_estimate(const netgen::SmDevice& device, const netgen::KernelProfile& kernel);

/// Time that DRAM needs for all traffic of the kernel, in microseconds.
double dram_traffic_us(const netgen::SmDevice& device, const netgen::KernelProfile& kernel);

/// The time of the L2 slice with the lines that every block reads, in microseconds: a slice serves one sector
/// per cycle. 0 if there are no such lines or the number of slices is not known.
double l2_slice_us(const netgen::SmDevice& device, const netgen::KernelProfile& kernel);

/// The time of the atomics on a word that all threads use, in microseconds: they take turns. 0 if the
/// device's rate of them is not known.
double one_word_atomics_us(const netgen::SmDevice& device, const netgen::KernelProfile& kernel);

/// Below this time counters show more DRAM traffic than the timed run had: the profiler empties the caches
/// before every pass, and the amount that DRAM delivers in this time fits into L2. The total traffic is not
/// used as a bound then.
inline constexpr double least_traffic_us = 5;

/// Whether a kernel with this time found the data in L2 that its counters show as DRAM traffic.
bool counts_too_much_traffic(const netgen::SmDevice& device, const netgen::KernelProfile& kernel, double us);
/// The same kernel without DRAM traffic.
netgen::KernelProfile with_warm_caches(netgen::KernelProfile kernel);

}  // namespace warpnet::studies
