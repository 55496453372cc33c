#include "analysis/worst/bounds/machine.hpp"

#include "analysis/worst/bounds/unconnected_parts.hpp"
#include "netgen/kernel/kernel.hpp"
#include "netgen/warps/warps.hpp"

#include <fmt/format.h>

// A bound is valid for one machine only, so every answer names it. Families are recognised by the structure
// of their nets.

namespace warpnet {

Machine machine_of(const Net& net) {
    if (const std::optional<KernelNet> kernel = recognise_kernel(net)) {
        if (!kernel->instance.schedulers) return {SchedulerUse::unlimited};
        return {SchedulerUse::shared, *kernel->instance.schedulers};
    }
    if (const std::optional<WarpsSpec> warps = recognise_warps(net))
        return {SchedulerUse::shared, warps->schedulers, static_cast<std::int64_t>(warps->sms)};
    if (const std::optional<UnconnectedParts> equal = unconnected_parts(net, 1))
        return machine_of(equal->kinds.front());
    return {};
}

std::string to_text(const Machine& machine) {
    std::string text;
    switch (machine.schedulers) {
        case SchedulerUse::unknown:
            text = "this net, as given";
            break;
        case SchedulerUse::shared: {
            const std::string of_sms = machine.sms > 1 ? fmt::format(" of each of {} SMs", machine.sms) : "";
            const char* const warps = machine.sms > 1 ? "all its warps" : "all warps";
            text = machine.count == 1
                       ? fmt::format("1 scheduler{} for {}", of_sms, warps)
                       : fmt::format("schedulers{} shared by {}, not fixed to warps", of_sms, warps);
            if (machine.count > 1) text = fmt::format("{} {}", machine.count, text);
            break;
        }
        case SchedulerUse::unlimited:
            text = "no limit of schedulers";
            break;
    }
    if (!machine.units.empty()) text += "; units " + machine.units;
    if (!machine.latencies.empty())
        text += machine.latencies == "none"    ? "; no latencies"
                : machine.latencies == "flags" ? "; latencies as given"
                                               : "; latencies of " + machine.latencies;
    // A letter has one latency, and shared memory the letter of DRAM.
    const bool of_device =
        !machine.latencies.empty() && machine.latencies != "none" && !machine.latencies.ends_with("flags");
    if (of_device && machine.units.find('L') != std::string::npos) text += ", each L that of DRAM";
    return text;
}

}  // namespace warpnet
