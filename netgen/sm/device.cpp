// Mechanisms of the model by name, and the blocks that an SM holds. A mechanism is a member of SmMechanisms
// that a user can switch off to measure its effect. One table pairs names with members, so that help, parser
// and tests cannot differ.
//
// The number of resident blocks is the least that warps, block slots, registers and shared memory allow,
// O(1). It follows NVIDIA's occupancy calculator. The comment at the table of limits has the sources. The
// quotient of the registers of an SM and of a block is too large in general. Warps get registers in units,
// from the partition of their scheduler, and a launch is checked with a rounded number of warps.

#include "netgen/sm/device.hpp"

#include "engine/base/round_up.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>

namespace warpnet::netgen {
namespace {

struct Switch {
    std::string_view name;
    bool SmMechanisms::*member;
};

constexpr std::array switches = {
    Switch{"last-wave", &SmMechanisms::last_wave},
    Switch{"run-clock", &SmMechanisms::run_clock},
    Switch{"line-transactions", &SmMechanisms::line_transactions},
    Switch{"wide-conversions", &SmMechanisms::wide_conversions},
    Switch{"load-lanes", &SmMechanisms::load_lanes},
    Switch{"replays", &SmMechanisms::replays},
    Switch{"integer-kinds", &SmMechanisms::integer_kinds},
    Switch{"local-stores", &SmMechanisms::local_stores},
    Switch{"warm-caches", &SmMechanisms::warm_caches},
    Switch{"conflict-latency", &SmMechanisms::conflict_latency},
    Switch{"l2-counters", &SmMechanisms::l2_counters},
    Switch{"common-lines", &SmMechanisms::common_lines},
    Switch{"addresses", &SmMechanisms::addresses},
    Switch{"idle-warps", &SmMechanisms::idle_warps},
    Switch{"two-pipes", &SmMechanisms::two_pipes},
    Switch{"wide-shared", &SmMechanisms::wide_shared},
    Switch{"other-counters", &SmMechanisms::other_counters},
    Switch{"routines", &SmMechanisms::routines},
    Switch{"fused", &SmMechanisms::fused},
    Switch{"sectors-once", &SmMechanisms::sectors_once},
    Switch{"footprint", &SmMechanisms::footprint},
    Switch{"pending-hits", &SmMechanisms::pending_hits},
    Switch{"fma-halves", &SmMechanisms::fma_halves},
    Switch{"wavefronts", &SmMechanisms::wavefronts},
    Switch{"store-rate", &SmMechanisms::store_rate},
    Switch{"cold-start", &SmMechanisms::cold_start},
    Switch{"counted-dram", &SmMechanisms::counted_dram},
    Switch{"code", &SmMechanisms::code},
    Switch{"spills", &SmMechanisms::spills},
    Switch{"atomics", &SmMechanisms::atomics},
    Switch{"overlap", &SmMechanisms::overlap},
};

constexpr auto switch_names = [] {
    std::array<std::string_view, switches.size()> names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = switches[i].name;
    return names;
}();

}  // namespace

std::span<const std::string_view> sm_mechanism_names() { return switch_names; }

bool switch_off(SmMechanisms& mechanisms, std::string_view name) {
    for (const Switch& one : switches) {
        if (one.name != name) continue;
        mechanisms.*one.member = false;
        return true;
    }
    return false;
}

namespace {

// The number of blocks that an SM holds. The rules are those of NVIDIA's occupancy calculator (the
// spreadsheet and cuda_occupancy.h of the CUDA Toolkit). Warps get registers in units, from the partition of
// the register file that belongs to their scheduler. A launch is checked as if all partitions held equally
// many warps. From compute capability 8.0 on, each block loses 1 KiB of shared memory to the driver. Caching
// in half SMs (compute capabilities 5.2 and 6.x with -dlcm=ca) is off by default and not modelled.
//
// Sources from 7.5 on: CUDA Programming Guide 13, section 5.1. Table 30 has blocks and warps of an SM, table
// 31 registers and shared memory of an SM, a block and a thread. Its columns 10.x and 12.x hold for 10.3
// and 12.1 too. Shared memory of an SM minus that of a block is the reserved KiB. cuda_occupancy.h of
// CUDA 13.0 has the units of shared memory (128 bytes from 8.0 on) and registers (256 per warp), the four
// partitions, and the blocks of each minor version. 10.1 was the name of 11.0 before CUDA 13.

constexpr std::int64_t most_block_threads = 1024;

constexpr SmLimits fermi() {
    return {.warps = 48,
            .blocks = 8,
            .registers = 32768,
            .block_registers = 32768,
            .thread_registers = 63,
            .partitions = 2,
            .register_unit = 64,
            .warp_unit = 2,
            .shared_unit = 128};
}

/// Kepler to Pascal: a block has at most 48 KiB of shared memory, for any size of the SM's memory.
constexpr SmLimits dedicated(std::int64_t blocks, std::int64_t shared_kb,
                             std::int64_t block_registers = 65536) {
    return {.blocks = blocks, .shared_bytes = shared_kb * 1024, .block_registers = block_registers};
}

constexpr SmLimits kepler(std::int64_t thread_registers, std::int64_t block_registers = 65536) {
    SmLimits limits = dedicated(16, 48, block_registers);
    limits.thread_registers = thread_registers;
    return limits;
}

/// K80: twice the registers, which allow more blocks but not larger ones.
constexpr SmLimits large_kepler() {
    SmLimits limits = dedicated(16, 112);
    limits.registers = 131072;
    return limits;
}

/// GP100 has two partitions. A launch is checked for four, as for all other Pascal GPUs.
constexpr SmLimits gp100() {
    SmLimits limits = dedicated(32, 64);
    limits.partitions = 2;
    return limits;
}

/// Volta and Turing: a block can have all of the shared memory.
constexpr SmLimits volta(std::int64_t warps, std::int64_t blocks, std::int64_t shared_kb) {
    return {.warps = warps,
            .blocks = blocks,
            .shared_bytes = shared_kb * 1024,
            .block_shared_bytes = shared_kb * 1024};
}

/// Ampere and later: all but the reserved KiB.
constexpr SmLimits ampere(std::int64_t warps, std::int64_t blocks, std::int64_t shared_kb) {
    SmLimits limits = volta(warps, blocks, shared_kb);
    limits.reserved_shared_bytes = 1024;
    limits.block_shared_bytes -= 1024;
    limits.shared_unit = 128;
    return limits;
}

constexpr std::array capabilities = {
    ComputeCapability{"2.0", fermi()},
    ComputeCapability{"2.1", fermi()},
    ComputeCapability{"3.0", kepler(63)},
    ComputeCapability{"3.2", kepler(255, 32768)},
    ComputeCapability{"3.5", kepler(255)},
    ComputeCapability{"3.7", large_kepler()},
    ComputeCapability{"5.0", dedicated(32, 64)},
    ComputeCapability{"5.2", dedicated(32, 96)},
    ComputeCapability{"5.3", dedicated(32, 64, 32768)},
    ComputeCapability{"6.0", gp100()},
    ComputeCapability{"6.1", dedicated(32, 96)},
    ComputeCapability{"6.2", dedicated(32, 64, 32768)},
    ComputeCapability{"7.0", volta(64, 32, 96)},
    ComputeCapability{"7.2", volta(64, 32, 96)},
    ComputeCapability{"7.5", volta(32, 16, 64)},
    ComputeCapability{"8.0", ampere(64, 32, 164)},
    ComputeCapability{"8.6", ampere(48, 16, 100)},
    ComputeCapability{"8.7", ampere(48, 16, 164)},
    ComputeCapability{"8.9", ampere(48, 24, 100)},
    ComputeCapability{"9.0", ampere(64, 32, 228)},
    ComputeCapability{"10.0", ampere(64, 32, 228)},
    ComputeCapability{"10.3", ampere(64, 32, 228)},
    ComputeCapability{"11.0", ampere(48, 24, 228)},
    ComputeCapability{"12.0", ampere(48, 24, 100)},
    ComputeCapability{"12.1", ampere(48, 24, 100)},
};

/// Fermi allocates some numbers of registers in pairs of units.
std::int64_t register_unit(const SmLimits& limits, std::int64_t of_thread) {
    const bool paired =
        limits.register_unit == 64 && of_thread > 20 && of_thread < 48 && (of_thread - 5) % 8 < 2;
    return paired ? 128 : limits.register_unit;
}

std::int64_t blocks_by_registers(const SmLimits& limits, const BlockShape& block, std::int64_t warps) {
    if (block.registers > limits.thread_registers)
        throw InputError(
            fmt::format("the launch fails: a thread has {} registers, and {} is the limit of the device",
                        block.registers, limits.thread_registers));
    const std::int64_t per_warp = rounded_up(block.registers * 32, register_unit(limits, block.registers));
    if (per_warp == 0) return limits.blocks;
    const std::int64_t checked = rounded_up(warps, limits.warp_unit);
    const std::int64_t limit = std::min(limits.block_registers, limits.registers);
    if (checked * per_warp > limit)
        throw InputError(
            fmt::format("the launch fails: a block of {} warps counts as {} warps of {} registers, {} in "
                        "all, and {} is the limit of a block",
                        warps, checked, per_warp, checked * per_warp, limit));
    return limits.registers / limits.partitions / per_warp * limits.partitions / warps;
}

std::int64_t blocks_by_shared_memory(const SmLimits& limits, const BlockShape& block) {
    const std::int64_t limit =
        std::min(limits.block_shared_bytes, limits.shared_bytes - limits.reserved_shared_bytes);
    const std::int64_t taken =
        rounded_up(block.shared_bytes + limits.reserved_shared_bytes, limits.shared_unit);
    if (taken > limit + limits.reserved_shared_bytes)
        throw InputError(
            fmt::format("the launch fails: a block has {} bytes of shared memory, and {} is the limit of a "
                        "block",
                        block.shared_bytes, limit));
    return taken == 0 ? limits.blocks : limits.shared_bytes / taken;
}

}  // namespace

std::span<const ComputeCapability> compute_capabilities() { return capabilities; }

const SmLimits* find_limits(std::string_view compute_capability) {
    const auto found =
        std::find_if(capabilities.begin(), capabilities.end(),
                     [&](const ComputeCapability& one) { return one.name == compute_capability; });
    return found == capabilities.end() ? nullptr : &found->limits;
}

std::int64_t resident_blocks(const SmLimits& limits, const BlockShape& block) {
    if (block.threads < 1 || block.threads > most_block_threads)
        throw InputError(fmt::format("the launch fails: a block has {} threads, and 1 to {} are possible",
                                     block.threads, most_block_threads));
    if (limits.blocks < 1) throw InputError("the launch fails: an SM of the device holds no block");
    const std::int64_t warps = divided_up(block.threads, 32);
    if (warps > limits.warps)
        throw InputError(fmt::format("the launch fails: a block has {} warps, and an SM of the device {}",
                                     warps, limits.warps));
    return std::min({limits.blocks, limits.warps / warps, blocks_by_registers(limits, block, warps),
                     blocks_by_shared_memory(limits, block)});
}

SmWaves waves_of_busiest_sm(const SmDevice& device, const KernelProfile& kernel) {
    const std::int64_t resident = resident_blocks(device, kernel);
    const std::int64_t wave = device.sms * resident;
    SmWaves waves;
    waves.full = kernel.blocks / wave;
    const std::int64_t rest = kernel.blocks % wave;
    waves.last = divided_up(rest, device.sms);
    if (rest > 0) waves.last_sms = static_cast<double>(rest) / static_cast<double>(waves.last);
    return waves;
}

std::int64_t resident_blocks(const SmDevice& device, const KernelProfile& kernel) {
    try {
        return resident_blocks(device.limits, {kernel.threads, kernel.registers, kernel.shared_bytes});
    } catch (const InputError& error) {
        throw InputError(fmt::format("{} on {}: {}", kernel.name, device.name, error.what()));
    }
}

std::int64_t blocks_of_busiest_sm(const SmDevice& device, const KernelProfile& kernel) {
    return divided_up(kernel.blocks, device.sms);
}

std::int64_t active_sms(const SmDevice& device, const KernelProfile& kernel) {
    return std::min(device.sms, kernel.blocks);
}

}  // namespace warpnet::netgen
