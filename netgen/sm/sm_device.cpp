// How many blocks an SM holds. The rules are those of NVIDIA's occupancy calculator (the spreadsheet and
// cuda_occupancy.h of the CUDA Toolkit): warps get registers in units, from the partition of the register
// file that belongs to their scheduler; a launch is checked as if every partition held equally many warps;
// from compute capability 8.0 on each block loses 1 KiB of shared memory to the driver. Caching in half SMs
// (compute capabilities 5.2 and 6.x with -dlcm=ca) is off by default and not modelled.
//
// Sources from 7.5 on: CUDA Programming Guide 13, section 5.1. Table 30 has blocks and warps of an SM, table
// 31 registers and shared memory of an SM, a block and a thread. Its columns 10.x and 12.x hold for 10.3
// and 12.1 too. Shared memory of an SM minus that of a block is the reserved KiB. cuda_occupancy.h of
// CUDA 13.0 has the units of shared memory (128 bytes from 8.0 on) and registers (256 per warp), the four
// partitions, and the blocks of each minor version. 10.1 was the name of 11.0 before CUDA 13.

#include "netgen/sm/sm_device.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace warpnet::netgen {

namespace {

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

/// Kepler to Pascal: a block has at most 48 KiB of shared memory, whatever the SM has.
constexpr SmLimits dedicated(std::int64_t blocks, std::int64_t shared_kb,
                             std::int64_t block_registers = 65536) {
    return {.blocks = blocks, .shared_bytes = shared_kb * 1024, .block_registers = block_registers};
}

constexpr SmLimits kepler(std::int64_t thread_registers, std::int64_t block_registers = 65536) {
    SmLimits limits = dedicated(16, 48, block_registers);
    limits.thread_registers = thread_registers;
    return limits;
}

/// K80: twice the registers, for more blocks and not for larger ones.
constexpr SmLimits large_kepler() {
    SmLimits limits = dedicated(16, 112);
    limits.registers = 131072;
    return limits;
}

/// GP100 has two partitions; a launch is checked for the four of the other Pascal GPUs.
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

constexpr std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
    return (value + unit - 1) / unit * unit;
}

/// Fermi hands some numbers of registers out in pairs of units.
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
    const std::int64_t warps = (block.threads + 31) / 32;
    if (warps > limits.warps)
        throw InputError(fmt::format("the launch fails: a block has {} warps, and an SM of the device {}",
                                     warps, limits.warps));
    return std::min({limits.blocks, limits.warps / warps, blocks_by_registers(limits, block, warps),
                     blocks_by_shared_memory(limits, block)});
}

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

/// Sectors that the block asked for shortly before do not come from DRAM again, and L2 merges what is written
/// into them. L1 serves them if the sectors of all resident blocks fit beside their shared memory.
void fetch_once(const SmDevice& device, KernelProfile& kernel) {
    for (MemoryRequests* requests : {&kernel.loads, &kernel.stores})
        requests->dram_share = std::min(requests->dram_share, 1 - requests->repeated);
    MemoryRequests& loads = kernel.loads;
    const auto resident = static_cast<double>(resident_blocks(device, kernel));
    const double shared = resident * static_cast<double>(kernel.shared_bytes);
    if (!(loads.repeated > 0) || resident * loads.live_bytes > device.l1_bytes - shared) return;
    const double to_l1 = loads.repeated * (1 - loads.l1_share);
    loads.l1_share += to_l1;
    loads.dram_share = std::min(loads.dram_share, 1 - loads.l1_share);
    loads.sectors *= 1 - loads.repeated;
}

void limit_to_footprint(const SmDevice& device, const KernelProfile& kernel, MemoryRequests& requests) {
    const double warps = static_cast<double>(kernel.blocks) * static_cast<double>(kernel.working_warps());
    const double to_dram = warps * requests.requests * requests.sectors * requests.dram_part();
    if (!(requests.footprint > 0) || !(to_dram > 0)) return;
    const SmWaves waves = waves_of_busiest_sm(device, kernel);
    const auto times = static_cast<double>(waves.full + (waves.last > 0 ? 1 : 0));
    requests.dram_share *= std::min(1.0, times * requests.footprint / 32 / to_dram);
}

}  // namespace

KernelProfile executed_profile(const SmDevice& device, const KernelProfile& given) {
    KernelProfile kernel = given;
    kernel.routines = kernel.fused = {};
    if (device.mechanisms.routines) kernel = with_routines(std::move(kernel), given.routines);
    if (device.fuses && device.mechanisms.fused) kernel = with_routines(std::move(kernel), given.fused);
    if (device.mechanisms.spills) {
        kernel.local_accesses += kernel.spill_loads;
        kernel.local_stores += kernel.spill_stores;
    }
    kernel.spill_loads = kernel.spill_stores = 0;
    if (device.mechanisms.idle_warps) kernel = working_profile(std::move(kernel));
    if (device.mechanisms.sectors_once) fetch_once(device, kernel);
    if (device.mechanisms.footprint) {
        limit_to_footprint(device, kernel, kernel.loads);
        limit_to_footprint(device, kernel, kernel.stores);
    }
    return kernel;
}

SmWaves waves_of_busiest_sm(const SmDevice& device, const KernelProfile& kernel) {
    const std::int64_t resident = resident_blocks(device, kernel);
    const std::int64_t wave = device.sms * resident;
    SmWaves waves;
    waves.full = kernel.blocks / wave;
    const std::int64_t rest = kernel.blocks % wave;
    waves.last = (rest + device.sms - 1) / device.sms;
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
    return (kernel.blocks + device.sms - 1) / device.sms;
}

std::int64_t active_sms(const SmDevice& device, const KernelProfile& kernel) {
    return std::min(device.sms, kernel.blocks);
}

double chain_slots(const SmDevice& device, const KernelProfile& kernel) {
    return device.issue > 1 ? 1 - std::clamp(kernel.dual_issue, 0.0, 0.5) : 1;
}

double issue_slots(const SmDevice& device, const KernelProfile& kernel) {
    return chain_slots(device, kernel) * (device.mechanisms.replays ? 1 + kernel.replays : 1);
}

double integer_slots(const SmDevice& device, const KernelProfile& kernel) {
    if (!device.mechanisms.integer_kinds)
        return device.integer_cost *
               (kernel.integer + kernel.logic + kernel.compares + kernel.shifts + kernel.multiplies);
    return kernel.integer * device.integer_cost + kernel.logic * device.logic_cost +
           kernel.compares * device.compare_cost + kernel.shifts * device.shift_cost +
           kernel.multiplies * device.multiply_cost;
}

namespace {

/// Of the pipes of compute capability 9.0, the time of the busiest: FMA as a whole at the rate of fp32, its
/// heavy half and ALU at half of it. Additions and logic of PTX run on ALU or FMA, wherever there is room.
double slots_of_halves(const SmDevice& device, const KernelProfile& kernel) {
    const double alu_cost = device.compare_cost, heavy_cost = device.multiply_cost;
    if (kernel.alu_pipe + kernel.fma_pipe > 0)
        return std::max({kernel.fma_pipe, alu_cost * kernel.alu_pipe, heavy_cost * kernel.fma_heavy_pipe});
    const double all = kernel.fp32 + kernel.integer_instructions() + kernel.other;
    const double alu = kernel.compares * device.compare_cost + kernel.shifts * device.shift_cost;
    const double fp32 = std::max(0.0, kernel.fp32 - kernel.fp32_any);
    return std::max(
        {fp32 + kernel.multiplies, heavy_cost * kernel.multiplies, alu, all / (1 + 1 / alu_cost)});
}

}  // namespace

double alu_slots(const SmDevice& device, const KernelProfile& kernel) {
    if (device.fma_halves && device.mechanisms.fma_halves) return slots_of_halves(device, kernel);
    if (!device.two_pipes || !device.mechanisms.two_pipes)
        return kernel.fp32 + integer_slots(device, kernel) + kernel.other;
    const bool kinds = device.mechanisms.integer_kinds;
    const double fp32 = std::max(0.0, kernel.fp32 - kernel.fp32_any);
    const double multiplies = kinds ? kernel.multiplies : 0;
    const double alu = kinds ? kernel.logic * device.logic_cost + kernel.compares * device.compare_cost +
                                   kernel.shifts * device.shift_cost
                             : 0;
    const double all = kernel.fp32 + kernel.integer_instructions() + kernel.other;
    const double pipes = 1 + 1 / device.logic_cost;  // in rates of fp32
    return std::max({fp32 + multiplies, multiplies * device.multiply_cost, alu, all / pipes});
}

double shared_access_cycles(const SmDevice& device, double passes) {
    const double lanes = 32 / device.ldst_lanes;
    if (device.shared_pass_cycles <= 0 || !device.mechanisms.wide_shared) return passes * lanes;
    return std::max(lanes, passes * device.shared_pass_cycles);
}

double wide_conversions(const SmDevice& device, const KernelProfile& kernel) {
    return device.mechanisms.wide_conversions ? kernel.convert64 : 0;
}

double narrow_conversions(const SmDevice& device, const KernelProfile& kernel) {
    return kernel.convert + kernel.convert64 - wide_conversions(device, kernel);
}

WaitingShares waiting_shares(const SmDevice& device, const KernelProfile& kernel) {
    if (!device.mechanisms.overlap) return {};
    WaitingShares shares = kernel.waiting;
    // Registers for addresses, counters and sums are not free for what is in flight.
    constexpr double others = 16;
    if (kernel.registers > 0) {
        const double least =
            1 / std::max(device.loads_in_flight, static_cast<double>(kernel.registers) - others);
        shares.shared = std::max(shares.shared, least);
        shares.loads = std::max(shares.loads, least);
    }
    return shares;
}

double loads_in_flight(const SmDevice& device, const KernelProfile& kernel) {
    const WaitingShares waiting = waiting_shares(device, kernel);
    const double share = waiting.loads;
    if (waiting.known && share > 0) return 1 / share;
    return std::max(device.loads_in_flight, share > 0 ? 1 / share : kernel.loads.requests);
}

double alu_interval(const SmDevice& device, const KernelProfile& kernel) {
    const double slots = chain_slots(device, kernel);
    return std::max(1 / device.issue, device.alu_latency * slots * waiting_shares(device, kernel).alu);
}

double shared_load_latency(const SmDevice& device, const KernelProfile& kernel) {
    const double share = waiting_shares(device, kernel).shared;
    if (!device.mechanisms.conflict_latency) return share * device.shared_latency;
    return share * (device.shared_latency +
                    std::max(0.0, kernel.shared_load_transactions - 1) * device.conflict_latency);
}

double mean_load_latency(const SmDevice& device, const KernelProfile& kernel) {
    const MemoryRequests& loads = kernel.loads;
    // A hit that another warp is still waiting for takes as long as the miss.
    const bool pending = device.mechanisms.pending_hits && device.l1_bytes > 0;
    const double l1 = pending ? std::min(loads.l1_share, loads.again) : loads.l1_share;
    const double dram = pending ? loads.dram_part() * (1 - l1) : loads.dram_share;
    return dram * device.dram_latency + l1 * device.l1_latency +
           std::max(0.0, 1 - dram - l1) * device.l2_latency;
}

double scatter_factor(const SmDevice& device, const MemoryRequests& requests) {
    // Wide accesses and bulk copies fill many sectors side by side. Alignment costs a few more.
    constexpr double most_unaligned = 1.5;
    const double most = std::max(device.scatter_sectors, most_unaligned * requests.dense_sectors);
    return requests.sectors > most ? device.scatter_cost : 1;
}

double dram_scatter_factor(const SmDevice& device, const KernelProfile& kernel,
                           const MemoryRequests& requests) {
    const bool counted = device.counted_dram && device.mechanisms.counted_dram && kernel.dram_bytes > 0;
    return counted ? 1 : scatter_factor(device, requests);
}

double l2_store_sectors(const SmDevice& device, const KernelProfile& kernel) {
    const MemoryRequests& stores = kernel.stores;
    const double cost = device.mechanisms.store_rate ? device.store_cost : 1;
    return stores.requests * stores.sectors * std::max(cost, scatter_factor(device, stores)) +
           (device.mechanisms.atomics ? kernel.atomic_sectors : 0);
}

namespace {

bool knows_passes(const SmDevice& device, const MemoryRequests& requests) {
    return device.line_passes && device.mechanisms.wavefronts && requests.passes > 0;
}

}  // namespace

double request_cycles(const SmDevice& device, const MemoryRequests& requests) {
    if (!device.mechanisms.load_lanes) return 0;
    return 32 / device.ldst_lanes * (knows_passes(device, requests) ? std::max(1.0, requests.passes) : 1);
}

double load_path_cycles(const SmDevice& device, const MemoryRequests& loads) {
    return knows_passes(device, loads) ? 0 : loads.transactions * device.texture_cycles;
}

double launch_us(const SmDevice& device) {
    const bool cold = device.cold_start && device.mechanisms.cold_start;
    return device.launch_us + (cold ? 2 * device.l2_latency / device.clock_mhz : 0);
}

double dram_sectors_per_cycle(const SmDevice& device, double sms) {
    const double bytes_per_cycle = device.dram_gbs * device.dram_efficiency * 1000 / device.clock_mhz;
    return std::min(device.port_sectors, bytes_per_cycle / 32 / sms);
}

double l2_sectors_per_cycle(const SmDevice& device, double sms) {
    // What the other SMs leave, up to what the port of one SM can carry.
    return std::min(std::max(device.port_sectors, device.l2_sectors),
                    device.l2_sectors * static_cast<double>(device.sms) / sms);
}

}  // namespace warpnet::netgen
