// A roofline over the resources of one SM. Each resource alone gives a lower bound on the time of a wave of
// resident blocks; the estimate takes the largest, for the whole waves and for the last one. A warp alone
// gives the latency bound: its dependent instructions, and its loads with the most that it can have in
// flight. The estimate assumes that the loads of a warp do not overlap its other instructions. Cost: O(1).

#include "analysis/studies/predict/closed_form.hpp"

#include "netgen/sm/costs.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace warpnet::studies {
namespace {

// The blocks that an SM holds, and the resource that limits them. netgen::resident_blocks() has the rules of
// the occupancy calculator. Registers and shared memory are judged by calling it once per resource, on an SM
// on which every other resource is plentiful.

constexpr std::int64_t plenty = std::int64_t{1} << 40;

std::optional<std::int64_t> used(std::int64_t blocks) {
    return blocks > plenty / (std::int64_t{1} << 12) ? std::nullopt : std::optional(blocks);
}

}  // namespace

std::vector<std::string_view> Occupancy::limited_by() const {
    std::vector<std::string_view> names;
    for (const Limit& limit : limits)
        if (limit.blocks && *limit.blocks <= blocks) names.push_back(limit.resource);
    return names;
}

Occupancy occupancy(const netgen::SmDevice& device, const netgen::KernelProfile& kernel) {
    const netgen::SmLimits& limits = device.limits;
    const std::int64_t warps = kernel.warps_per_block();
    Occupancy result;
    result.blocks = netgen::resident_blocks(device, kernel);
    result.warps = result.blocks * warps;
    result.warp_slots = limits.warps;
    netgen::SmLimits wide = limits;
    wide.blocks = wide.warps = plenty;
    result.limits = {{{"block slots", limits.blocks},
                      {"warps", limits.warps / warps},
                      {"registers", {}},
                      {"shared memory", {}}}};
    netgen::SmLimits other = wide;
    other.shared_bytes = other.block_shared_bytes = plenty;
    result.limits[2].blocks = used(netgen::resident_blocks(other, {kernel.threads, kernel.registers, 0}));
    if (kernel.shared_bytes > 0)
        result.limits[3].blocks =
            used(netgen::resident_blocks(wide, {kernel.threads, 0, kernel.shared_bytes}));
    return result;
}

namespace {

constexpr std::array<std::string_view, sm_bound_count> bound_names = {
    "issue",    "ALU",     "FP64", "SFU",     "LSU",          "load path", "L2",
    "L2 slice", "atomics", "DRAM", "latency", "block launch", "launch"};

double shared_transactions(const netgen::KernelProfile& kernel) {
    return kernel.shared_loads * kernel.shared_load_transactions +
           kernel.shared_stores * kernel.shared_store_transactions + kernel.local_accesses +
           kernel.local_stores + kernel.shuffles;
}

/// Cycles of the load/store path that a warp takes, without its requests to global memory.
double shared_cycles(const netgen::SmDevice& device, const netgen::KernelProfile& kernel) {
    return kernel.shared_loads * netgen::shared_access_cycles(device, kernel.shared_load_transactions) +
           kernel.shared_stores * netgen::shared_access_cycles(device, kernel.shared_store_transactions) +
           (kernel.local_accesses + kernel.local_stores + kernel.shuffles) * 32 / device.ldst_lanes;
}

/// Cycles of the dependent instructions of a warp, without its loads from global memory.
double chain(const netgen::SmDevice& device, const netgen::KernelProfile& kernel) {
    const double local = kernel.local_accesses + (device.mechanisms.local_stores ? 0 : kernel.local_stores);
    const netgen::WaitingShares waiting = netgen::waiting_shares(device, kernel);
    return (kernel.fp32 + kernel.integer_instructions() + kernel.other) *
               netgen::alu_interval(device, kernel) +
           kernel.fp64 * device.fp64_latency * waiting.fp64 +
           (kernel.special + kernel.convert + kernel.convert64) * 2 * device.alu_latency * waiting.special +
           kernel.branches * device.branch_latency + kernel.barriers * device.barrier_latency +
           kernel.shared_loads * netgen::shared_load_latency(device, kernel) +
           kernel.shuffles * device.shared_latency * waiting.shared + local * device.l1_latency;
}

/// Cycles of its loads, with the most in flight that a warp can have.
double load_chain(const netgen::SmDevice& device, const netgen::KernelProfile& kernel) {
    return kernel.loads.requests * netgen::mean_load_latency(device, kernel) /
           netgen::loads_in_flight(device, kernel);
}

using Cycles = std::array<double, sm_bound_count>;

/// The limits of a part of the run, and the latency of the estimate: instructions and loads in sequence.
struct Phase {
    Cycles cycles = {};
    double latency = 0;
};

/// This many blocks of the busiest SM, in this many waves, with the same load on `sms` SMs.
Phase phase_of(const netgen::SmDevice& device, const netgen::KernelProfile& kernel, double blocks,
               double waves, double sms) {
    Phase phase;
    const auto bound = [&phase](SmBound which) -> double& {
        return phase.cycles[static_cast<std::size_t>(which)];
    };
    const double warps = blocks * static_cast<double>(kernel.working_warps());
    const auto schedulers = static_cast<double>(device.schedulers);
    const netgen::MemoryRequests& loads = kernel.loads;
    const netgen::MemoryRequests& stores = kernel.stores;
    const double l2 = loads.requests * loads.sectors + netgen::l2_store_sectors(device, kernel);
    const double dram = loads.requests * loads.dram_part() * loads.sectors *
                            netgen::dram_scatter_factor(device, kernel, loads) +
                        stores.requests * stores.dram_part() * stores.sectors *
                            netgen::dram_scatter_factor(device, kernel, stores);
    const double requests = loads.requests * netgen::request_cycles(device, loads) +
                            (stores.requests + kernel.atomics) * netgen::request_cycles(device, stores);
    bound(SmBound::issue) = warps * kernel.instructions() * netgen::issue_slots(device, kernel) / schedulers;
    bound(SmBound::alu) = warps * netgen::alu_slots(device, kernel) * 32 / device.fp32_lanes;
    bound(SmBound::fp64) =
        warps * 32 *
        (kernel.fp64 / device.fp64_lanes + netgen::wide_conversions(device, kernel) / device.convert64_lanes);
    bound(SmBound::sfu) = warps * 32 *
                          (kernel.special / device.special_lanes +
                           netgen::narrow_conversions(device, kernel) / device.convert_lanes);
    bound(SmBound::lsu) = warps * (shared_cycles(device, kernel) + requests);
    bound(SmBound::load_path) = warps * loads.requests * netgen::load_path_cycles(device, loads);
    bound(SmBound::l2) = warps * l2 / netgen::l2_sectors_per_cycle(device, sms);
    bound(SmBound::dram) = warps * dram / netgen::dram_sectors_per_cycle(device, sms);
    const double instructions = chain(device, kernel), in_flight = load_chain(device, kernel);
    bound(SmBound::latency) = waves * std::max(instructions, in_flight);
    bound(SmBound::block_launch) = blocks * device.block_launch;
    phase.latency = waves * (instructions + in_flight);
    return phase;
}

/// One wave of all blocks that fit on the SM.
Phase whole_wave(const netgen::SmDevice& device, const netgen::KernelProfile& kernel) {
    const auto resident = static_cast<double>(netgen::resident_blocks(device, kernel));
    const auto sms =
        static_cast<double>(device.mechanisms.last_wave ? device.sms : netgen::active_sms(device, kernel));
    return phase_of(device, kernel, resident, 1, sms);
}

/// The whole waves, and the last one.
std::vector<Phase> phases(const netgen::SmDevice& device, const netgen::KernelProfile& kernel) {
    const auto resident = static_cast<double>(netgen::resident_blocks(device, kernel));
    if (!device.mechanisms.last_wave) {
        const auto blocks = static_cast<double>(netgen::blocks_of_busiest_sm(device, kernel));
        return {phase_of(device, kernel, blocks, std::max(1.0, blocks / resident),
                         static_cast<double>(netgen::active_sms(device, kernel)))};
    }
    const netgen::SmWaves waves = netgen::waves_of_busiest_sm(device, kernel);
    std::vector<Phase> result;
    if (waves.full > 0) {
        const auto full = static_cast<double>(waves.full);
        result.push_back(phase_of(device, kernel, full * resident, full, static_cast<double>(device.sms)));
    }
    if (waves.last > 0)
        result.push_back(phase_of(device, kernel, static_cast<double>(waves.last), 1, waves.last_sms));
    return result;
}

}  // namespace

std::string_view to_string(SmBound bound) { return bound_names[static_cast<std::size_t>(bound)]; }

double dram_traffic_us(const netgen::SmDevice& device, const netgen::KernelProfile& kernel) {
    return kernel.dram_bytes / (device.dram_gbs * device.dram_efficiency * 1000);
}

double l2_slice_us(const netgen::SmDevice& device, const netgen::KernelProfile& kernel) {
    if (!device.mechanisms.common_lines || device.l2_slices < 1 || kernel.common_sectors <= 0) return 0;
    const double sectors =
        kernel.loads.requests * kernel.loads.sectors + kernel.stores.requests * kernel.stores.sectors;
    const double slices = std::min(device.l2_slices, std::max(1.0, kernel.common_lines));
    // The slice also serves its share of all other requests.
    const double busiest =
        kernel.common_sectors / slices + std::max(0.0, sectors - kernel.common_sectors) / device.l2_slices;
    const double warps = static_cast<double>(kernel.blocks) * static_cast<double>(kernel.warps_per_block());
    return warps * busiest / device.clock_mhz;
}

double one_word_atomics_us(const netgen::SmDevice& device, const netgen::KernelProfile& kernel) {
    if (!device.mechanisms.atomics) return 0;
    const double warps = static_cast<double>(kernel.blocks) * static_cast<double>(kernel.warps_per_block());
    const double of_floats =
        device.float_atomic_cycles > 0 ? device.float_atomic_cycles : device.atomic_cycles;
    return warps *
           (kernel.one_word_atomics * device.atomic_cycles + kernel.one_word_float_atomics * of_floats) /
           device.clock_mhz;
}

SmClosedForm sm_closed_form(const netgen::SmDevice& device, const netgen::KernelProfile& given) {
    netgen::validate(given);
    const netgen::KernelProfile kernel = netgen::executed_profile(device, given);
    SmClosedForm form;
    Cycles estimated = {};
    double cycles = 0;
    constexpr auto latency = static_cast<std::size_t>(SmBound::latency);
    for (const Phase& phase : phases(device, kernel)) {
        Cycles of_phase = phase.cycles;
        of_phase[latency] = phase.latency;
        for (std::size_t i = 0; i < sm_bound_count; ++i) {
            form.cycles[i] += phase.cycles[i];
            estimated[i] += of_phase[i];
        }
        cycles += *std::max_element(of_phase.begin(), of_phase.end());
    }
    const Cycles wave = whole_wave(device, kernel).cycles;
    form.wave_cycles = *std::max_element(wave.begin(), wave.end());
    const auto at_least = [&](SmBound bound, double least) {
        for (Cycles* one : {&form.cycles, &estimated}) {
            double& value = (*one)[static_cast<std::size_t>(bound)];
            value = std::max(value, least);
        }
        cycles = std::max(cycles, least);
    };
    const double traffic_us = dram_traffic_us(device, given);
    if (traffic_us + netgen::launch_us(device) >= least_traffic_us)
        at_least(SmBound::dram, traffic_us * device.clock_mhz);
    at_least(SmBound::l2_slice, l2_slice_us(device, given) * device.clock_mhz);
    at_least(SmBound::atomics, one_word_atomics_us(device, given) * device.clock_mhz);
    form.binding =
        static_cast<SmBound>(std::max_element(estimated.begin(), estimated.end()) - estimated.begin());
    form.us = cycles / device.clock_mhz + netgen::launch_us(device);
    form.cycles[static_cast<std::size_t>(SmBound::launch)] = netgen::launch_us(device) * device.clock_mhz;
    if (netgen::launch_us(device) * 2 >= form.us) form.binding = SmBound::launch;
    if (counts_too_much_traffic(device, given, form.us))
        return sm_closed_form(device, with_warm_caches(given));
    return form;
}

bool counts_too_much_traffic(const netgen::SmDevice& device, const netgen::KernelProfile& kernel, double us) {
    return device.mechanisms.warm_caches && kernel.dram_bytes > 0 && us < least_traffic_us;
}

netgen::KernelProfile with_warm_caches(netgen::KernelProfile kernel) {
    kernel.loads.dram_share = 0;
    kernel.stores.dram_share = 0;
    kernel.dram_bytes = 0;
    return kernel;
}

double throughput_estimate(const netgen::SmDevice& device, const netgen::KernelProfile& kernel) {
    constexpr double overhead_cycles = 1500;
    const double warps = static_cast<double>(netgen::blocks_of_busiest_sm(device, kernel)) *
                         static_cast<double>(kernel.warps_per_block());
    const double cycles =
        std::max({warps * kernel.instructions() / static_cast<double>(device.schedulers),
                  warps * kernel.fp64 * 32 / device.fp64_lanes,
                  warps * 32 / device.ldst_lanes *
                      (shared_transactions(kernel) + kernel.loads.requests + kernel.stores.requests),
                  dram_traffic_us(device, kernel) * device.clock_mhz});
    return (cycles + overhead_cycles) / device.clock_mhz;
}

}  // namespace warpnet::studies
