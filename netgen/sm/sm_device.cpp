#include "netgen/sm/sm_device.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace warpnet {

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

double wide_conversions(const SmDevice& device, const KernelProfile& kernel) {
    return device.mechanisms.wide_conversions ? kernel.convert64 : 0;
}

double narrow_conversions(const SmDevice& device, const KernelProfile& kernel) {
    return kernel.convert + kernel.convert64 - wide_conversions(device, kernel);
}

double shared_load_latency(const SmDevice& device, const KernelProfile& kernel) {
    if (!device.mechanisms.conflict_latency) return device.shared_latency;
    return device.shared_latency +
           std::max(0.0, kernel.shared_load_transactions - 1) * device.conflict_latency;
}

double mean_load_latency(const SmDevice& device, const KernelProfile& kernel) {
    const MemoryRequests& loads = kernel.loads;
    return loads.dram_share * device.dram_latency + loads.l1_share * device.l1_latency +
           std::max(0.0, 1 - loads.dram_share - loads.l1_share) * device.l2_latency;
}

double scatter_factor(const SmDevice& device, const MemoryRequests& requests) {
    // Wide accesses and bulk copies fill many sectors side by side. Alignment costs a few more.
    constexpr double most_unaligned = 1.5;
    const double most = std::max(device.scatter_sectors, most_unaligned * requests.dense_sectors);
    return requests.sectors > most ? device.scatter_cost : 1;
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

}  // namespace warpnet
