// The costs of the instructions of a kernel on a device: slots of pipes, cycles of paths to memory, latencies
// and rates of caches. Net and closed form use the same costs. Each mechanism of SmMechanisms takes effect
// here, in program.cpp, or in the conversion of counters and PTX to a profile. docs/reference/sm-model.md has
// the sources, docs/explanation/accuracy.md the ablations.

#include "netgen/sm/costs.hpp"

#include <algorithm>
#include <utility>

namespace warpnet::netgen {

namespace {

/// Sectors that the block loaded shortly before do not come from DRAM again, and L2 merges the writes to
/// them. L1 serves them if the sectors of all resident blocks fit next to their shared memory.
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

/// The time of the busiest pipe of compute capability 9.0: FMA as a whole at the rate of fp32, its heavy half
/// and ALU at half of it. Additions and logic of PTX run on ALU or FMA, depending on their load.
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
    // Registers for addresses, counters and sums cannot hold loads in flight.
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
    // The bandwidth that the remaining SMs leave, up to the limit of the port of one SM.
    return std::min(std::max(device.port_sectors, device.l2_sectors),
                    device.l2_sectors * static_cast<double>(device.sms) / sms);
}

}  // namespace warpnet::netgen
