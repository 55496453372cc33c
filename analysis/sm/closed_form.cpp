#include "analysis/sm/closed_form.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace warpnet {

namespace {

constexpr std::array<std::string_view, sm_bound_count> bound_names = {
    "issue", "ALU", "FP64", "SFU", "LSU", "load path", "L2", "L2 slice", "DRAM", "latency", "launch"};

double shared_transactions(const KernelProfile& kernel) {
    return kernel.shared_loads * kernel.shared_load_transactions +
           kernel.shared_stores * kernel.shared_store_transactions + kernel.local_accesses +
           kernel.local_stores + kernel.shuffles;
}

double chain(const SmDevice& device, const KernelProfile& kernel) {
    const MemoryRequests& loads = kernel.loads;
    const double load = loads.dram_share * device.dram_latency + loads.l1_share * device.l1_latency +
                        std::max(0.0, 1 - loads.dram_share - loads.l1_share) * device.l2_latency;
    const double local = kernel.local_accesses + (device.mechanisms.local_stores ? 0 : kernel.local_stores);
    return (kernel.fp32 + kernel.integer_instructions() + kernel.other) * device.alu_latency *
               chain_slots(device, kernel) +
           kernel.fp64 * device.fp64_latency +
           (kernel.special + kernel.convert + kernel.convert64) * 2 * device.alu_latency +
           kernel.branches * device.branch_latency + kernel.barriers * device.barrier_latency +
           kernel.shared_loads * shared_load_latency(device, kernel) +
           kernel.shuffles * device.shared_latency + local * device.l1_latency +
           loads.requests * load / device.loads_in_flight;
}

using Cycles = std::array<double, sm_bound_count>;

/// So many blocks of the busiest SM, in so many waves, while `sms` SMs do the same.
Cycles phase_cycles(const SmDevice& device, const KernelProfile& kernel, double blocks, double waves,
                    double sms) {
    Cycles cycles = {};
    const auto bound = [&cycles](SmBound which) -> double& {
        return cycles[static_cast<std::size_t>(which)];
    };
    const double warps = blocks * static_cast<double>(kernel.working_warps());
    const auto schedulers = static_cast<double>(device.schedulers);
    const MemoryRequests& loads = kernel.loads;
    const MemoryRequests& stores = kernel.stores;
    const double l2 =
        loads.requests * loads.sectors + stores.requests * stores.sectors * scatter_factor(device, stores);
    const double dram = loads.requests * loads.dram_share * loads.sectors * scatter_factor(device, loads) +
                        stores.requests * stores.dram_share * stores.sectors * scatter_factor(device, stores);
    const double lanes = device.mechanisms.load_lanes ? loads.requests + stores.requests : 0;
    bound(SmBound::issue) = warps * kernel.instructions() * issue_slots(device, kernel) / schedulers;
    bound(SmBound::alu) =
        warps * (kernel.fp32 + integer_slots(device, kernel) + kernel.other) * 32 / device.fp32_lanes;
    bound(SmBound::fp64) =
        warps * 32 *
        (kernel.fp64 / device.fp64_lanes + wide_conversions(device, kernel) / device.convert64_lanes);
    bound(SmBound::sfu) =
        warps * 32 *
        (kernel.special / device.special_lanes + narrow_conversions(device, kernel) / device.convert_lanes);
    bound(SmBound::lsu) = warps * (shared_transactions(kernel) + lanes) * 32 / device.ldst_lanes;
    bound(SmBound::load_path) = warps * loads.requests * loads.transactions * device.texture_cycles;
    bound(SmBound::l2) = warps * l2 / l2_sectors_per_cycle(device, sms);
    bound(SmBound::dram) = warps * dram / dram_sectors_per_cycle(device, sms);
    bound(SmBound::latency) = waves * chain(device, kernel);
    bound(SmBound::launch) = blocks * device.block_launch;
    return cycles;
}

/// The whole waves, and the last one.
std::vector<Cycles> phases(const SmDevice& device, const KernelProfile& given) {
    const KernelProfile kernel = device.mechanisms.idle_warps ? working_profile(given) : given;
    const auto resident = static_cast<double>(resident_blocks(device, kernel));
    if (!device.mechanisms.last_wave) {
        const auto blocks = static_cast<double>(blocks_of_busiest_sm(device, kernel));
        return {phase_cycles(device, kernel, blocks, std::max(1.0, blocks / resident),
                             static_cast<double>(active_sms(device, kernel)))};
    }
    const SmWaves waves = waves_of_busiest_sm(device, kernel);
    std::vector<Cycles> result;
    if (waves.full > 0) {
        const auto full = static_cast<double>(waves.full);
        result.push_back(
            phase_cycles(device, kernel, full * resident, full, static_cast<double>(device.sms)));
    }
    if (waves.last > 0)
        result.push_back(phase_cycles(device, kernel, static_cast<double>(waves.last), 1, waves.last_sms));
    return result;
}

}  // namespace

std::string_view to_string(SmBound bound) { return bound_names[static_cast<std::size_t>(bound)]; }

double dram_traffic_us(const SmDevice& device, const KernelProfile& kernel) {
    return kernel.dram_bytes / (device.dram_gbs * device.dram_efficiency * 1000);
}

double l2_slice_us(const SmDevice& device, const KernelProfile& kernel) {
    if (!device.mechanisms.common_lines || device.l2_slices < 1 || kernel.common_sectors <= 0) return 0;
    const double sectors =
        kernel.loads.requests * kernel.loads.sectors + kernel.stores.requests * kernel.stores.sectors;
    const double slices = std::min(device.l2_slices, std::max(1.0, kernel.common_lines));
    // The slice serves its share of all other requests too.
    const double busiest =
        kernel.common_sectors / slices + std::max(0.0, sectors - kernel.common_sectors) / device.l2_slices;
    const double warps = static_cast<double>(kernel.blocks) * static_cast<double>(kernel.warps_per_block());
    return warps * busiest / device.clock_mhz;
}

SmClosedForm sm_closed_form(const SmDevice& device, const KernelProfile& kernel) {
    validate(kernel);
    SmClosedForm form;
    double cycles = 0;
    for (const Cycles& phase : phases(device, kernel)) {
        for (std::size_t i = 0; i < sm_bound_count; ++i) form.cycles[i] += phase[i];
        cycles += *std::max_element(phase.begin(), phase.end());
    }
    const double traffic = dram_traffic_us(device, kernel) * device.clock_mhz;
    if (traffic / device.clock_mhz + device.launch_us >= least_traffic_us) {
        double& dram = form.cycles[static_cast<std::size_t>(SmBound::dram)];
        dram = std::max(dram, traffic);
        cycles = std::max(cycles, traffic);
    }
    double& slice = form.cycles[static_cast<std::size_t>(SmBound::l2_slice)];
    slice = l2_slice_us(device, kernel) * device.clock_mhz;
    cycles = std::max(cycles, slice);
    const auto largest = std::max_element(form.cycles.begin(), form.cycles.end());
    form.binding = static_cast<SmBound>(largest - form.cycles.begin());
    form.us = cycles / device.clock_mhz + device.launch_us;
    if (device.launch_us * 2 >= form.us) form.binding = SmBound::launch;
    if (counts_too_much_traffic(device, kernel, form.us))
        return sm_closed_form(device, with_warm_caches(kernel));
    return form;
}

bool counts_too_much_traffic(const SmDevice& device, const KernelProfile& kernel, double us) {
    return device.mechanisms.warm_caches && kernel.dram_bytes > 0 && us < least_traffic_us;
}

KernelProfile with_warm_caches(KernelProfile kernel) {
    kernel.loads.dram_share = 0;
    kernel.stores.dram_share = 0;
    kernel.dram_bytes = 0;
    return kernel;
}

double throughput_estimate(const SmDevice& device, const KernelProfile& kernel) {
    constexpr double overhead_cycles = 1500;
    const double warps = static_cast<double>(blocks_of_busiest_sm(device, kernel)) *
                         static_cast<double>(kernel.warps_per_block());
    const double cycles =
        std::max({warps * kernel.instructions() / static_cast<double>(device.schedulers),
                  warps * kernel.fp64 * 32 / device.fp64_lanes,
                  warps * 32 / device.ldst_lanes *
                      (shared_transactions(kernel) + kernel.loads.requests + kernel.stores.requests),
                  dram_traffic_us(device, kernel) * device.clock_mhz});
    return (cycles + overhead_cycles) / device.clock_mhz;
}

}  // namespace warpnet
