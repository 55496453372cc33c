#pragma once

#include "analysis/studies/files/read_measured.hpp"
#include "netgen/sm/presets.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace warpnet::studies {

/// A GPU with the facts that examples/kernels/collect.sh measured.
struct MeasuredDevice {
    netgen::Device device;  ///< without the facts that could not be measured
    std::map<std::string, std::string, std::less<>> sources;
    std::vector<std::string> missing;  ///< "lat_l1: no row latency_global_through_l1_16_KiB", …
    std::vector<std::string> ignored;  ///< unused columns with values
};

/// Makes a device row from `device.csv` (columns fact, value) and `microbenchmarks.csv` (name, value), with
/// these rows:
///
/// - name, cc, sms: name, compute_capability, sms. The architecture is that of the presets of this
///   capability. Limits of an SM: warps_per_sm, blocks_per_sm, threads_per_sm, registers_per_sm,
///   shared_memory_per_sm. clock_mhz: clock_under_load.
/// - schedulers: the least k > 0 for which scheduler_warps_0_k exceeds 1.5 scheduler_warp_0, since warps 0
///   and k then share one. issue: one_warp_ffma, rounded up.
/// - lanes: fp32 throughput_ffma, int32 logic, fp64 dfma, special ex2, convert the lower of
///   convert_f32_u32 and convert_u32_f32, convert64 convert_u64_f64, compare compare_select, shift
///   funnel_shift, multiply imad; ldst throughput_shared_load_32 / 4 bytes. A throughput within 10 % of a
///   width of hardware (1, 2, 4, …, 64, 96, 128, 160, 192) counts as this width.
/// - latencies: lat_alu latency_ffma, lat_fp64 latency_dfma, lat_shared latency_shared_1_way, lat_conflict
///   (latency_shared_32_way - latency_shared_1_way) / 31, lat_l1 latency_global_through_l1_16_KiB, lat_l2
///   latency_global_past_l1_4096_KiB, lat_dram latency_global_past_l1_N_KiB of the largest N, which includes
///   misses of the TLB.
/// - dram_gbs: 2 memory_clock_max memory_bus_width / 8. dram_efficiency: bandwidth_dram_read / dram_gbs.
///   l2_sectors: throughput_l2_all_sms / 32 bytes. atomic_cycles: atomic_global_all_sms_0_apart per thread,
///   of 256 on each SM. float_atomic_cycles: reduction_global_f32_1_words_1_apart. store_cost:
///   store_32_1_apart / l2_load_32_1_apart.
/// - launch_us: launch_profiled, and event_us: launch_alone - launch_profiled; without that row, launch_us:
///   launch_back_to_back, which is longer than a kernel's own time. block_launch: the slope between 64 and
///   512 blocks per SM of empty_kernel_…_blocks_per_sm_256_threads, in cycles. integer_cost: fp32 / int32.
///
/// Throws InputError (source:line: …) for a row that appears twice and for an invalid number. O(text).
MeasuredDevice read_measured_device(const SourceText& device, const SourceText& microbenchmarks);

/// A fact in which two devices differ; absent if a device does not have it.
struct FactDifference {
    std::string_view column;
    std::optional<double> measured, preset;
};

/// In the order of device_columns().
std::vector<FactDifference> device_differences(const netgen::Device& measured, const netgen::Device& preset);

/// {device, sources, missing, ignored, preset, differences: [{fact, measured, preset}]}; `preset` may be
/// null.
nlohmann::ordered_json to_json(const MeasuredDevice& measured, const netgen::Device* preset,
                               const std::vector<FactDifference>& differences);

}  // namespace warpnet::studies
