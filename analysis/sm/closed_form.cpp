#include "analysis/sm/closed_form.hpp"

#include <algorithm>
#include <cmath>

namespace warpnet {

namespace {

constexpr std::array<std::string_view, sm_bound_count> bound_names = {
    "issue", "ALU", "FP64", "SFU", "LSU", "load path", "L2", "DRAM", "latency", "launch"};

double shared_transactions(const KernelProfile& kernel) {
    return kernel.shared_loads * kernel.shared_load_transactions +
           kernel.shared_stores * kernel.shared_store_transactions + kernel.local_accesses + kernel.shuffles;
}

double chain(const SmDevice& device, const KernelProfile& kernel) {
    const double single = issue_slots(device, kernel);
    const MemoryRequests& loads = kernel.loads;
    const double load = loads.dram_share * device.dram_latency + loads.l1_share * device.l1_latency +
                        std::max(0.0, 1 - loads.dram_share - loads.l1_share) * device.l2_latency;
    return (kernel.fp32 + kernel.integer + kernel.other) * device.alu_latency * single +
           kernel.fp64 * device.fp64_latency + (kernel.special + kernel.convert) * 2 * device.alu_latency +
           kernel.branches * device.branch_latency + kernel.barriers * device.barrier_latency +
           (kernel.shared_loads + kernel.shuffles) * device.shared_latency +
           kernel.local_accesses * device.l1_latency + loads.requests * load / device.loads_in_flight;
}

}  // namespace

std::string_view to_string(SmBound bound) { return bound_names[static_cast<std::size_t>(bound)]; }

double dram_traffic_us(const SmDevice& device, const KernelProfile& kernel) {
    return kernel.dram_bytes / (device.dram_gbs * device.dram_efficiency * 1000);
}

SmClosedForm sm_closed_form(const SmDevice& device, const KernelProfile& kernel) {
    validate(kernel);
    const auto blocks = static_cast<double>(blocks_of_busiest_sm(device, kernel));
    const double warps = blocks * static_cast<double>(kernel.warps_per_block());
    const auto schedulers = static_cast<double>(device.schedulers);
    const double waves = std::max(1.0, blocks / static_cast<double>(resident_blocks(device, kernel)));
    const MemoryRequests& loads = kernel.loads;
    const MemoryRequests& stores = kernel.stores;
    const double l2 =
        loads.requests * loads.sectors + stores.requests * stores.sectors * scatter_factor(device, stores);
    const double dram = loads.requests * loads.dram_share * loads.sectors * scatter_factor(device, loads) +
                        stores.requests * stores.dram_share * stores.sectors * scatter_factor(device, stores);
    const double sharing = static_cast<double>(device.sms) / static_cast<double>(active_sms(device, kernel));

    SmClosedForm form;
    const auto bound = [&form](SmBound which) -> double& {
        return form.cycles[static_cast<std::size_t>(which)];
    };
    bound(SmBound::issue) = warps * kernel.instructions() * issue_slots(device, kernel) / schedulers;
    bound(SmBound::alu) =
        warps * (kernel.fp32 + kernel.integer * device.integer_cost + kernel.other) * 32 / device.fp32_lanes;
    bound(SmBound::fp64) = warps * kernel.fp64 * 32 / device.fp64_lanes;
    bound(SmBound::sfu) =
        warps * 32 * (kernel.special / device.special_lanes + kernel.convert / device.convert_lanes);
    bound(SmBound::lsu) = warps * shared_transactions(kernel) * 32 / device.ldst_lanes;
    bound(SmBound::load_path) = warps * loads.requests * loads.transactions * device.texture_cycles;
    bound(SmBound::l2) = warps * l2 / (device.l2_sectors * sharing);
    bound(SmBound::dram) = warps * dram / dram_sectors_per_cycle(device, kernel);
    bound(SmBound::latency) = waves * chain(device, kernel);
    bound(SmBound::launch) = blocks * device.block_launch;

    const double traffic = dram_traffic_us(device, kernel) * device.clock_mhz;
    if (traffic / device.clock_mhz + device.launch_us >= least_traffic_us)
        bound(SmBound::dram) = std::max(bound(SmBound::dram), traffic);
    const auto largest = std::max_element(form.cycles.begin(), form.cycles.end());
    form.binding = static_cast<SmBound>(largest - form.cycles.begin());
    form.us = *largest / device.clock_mhz + device.launch_us;
    if (device.launch_us * 2 >= form.us) form.binding = SmBound::launch;
    return form;
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
