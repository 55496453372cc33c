// Names the machine for which a bound is valid, because a bound for one kind of scheduler proves nothing for
// another. The machine is read from the structure of the net. Nets of the families `kernel`, `warps` and `sm`
// are recognised, and equal unconnected parts have the machine of one part. A kernel with fixed schedulers is
// recognised with the tokens of its schedulers in one place. Every instruction is then checked to use only
// the places of the scheduler of its warp. Any other net is its own machine. O(size of the net).

#include "analysis/worst/bounds/machine.hpp"

#include "analysis/worst/bounds/unconnected_parts.hpp"
#include "engine/base/text.hpp"
#include "engine/net/net_builder.hpp"
#include "engine/run/served_parts.hpp"
#include "netgen/kernel/kernel.hpp"
#include "netgen/sm/sm.hpp"
#include "netgen/warps/warps.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::worst {

namespace {

/// The places of a kernel that each scheduler has for itself: first `schedulers_1`, ..., then `unit_C_1`,
/// ..., equally many of each. Empty for other nets.
std::vector<std::vector<PlaceId>> fixed_hubs(const Net& net) {
    const auto of_first = std::ranges::find_if(
        net.places(), [](const Place& place) { return place.id.ends_with("schedulers_1"); });
    if (of_first == net.places().end()) return {};
    const std::string id = of_first->id.substr(0, of_first->id.size() - 1);  // s1_schedulers_ of several SMs
    const std::string prefix = id.substr(0, id.rfind("schedulers_"));
    const NodeIndex nodes(net);
    std::vector<std::vector<PlaceId>> hubs;
    for (const std::string& name :
         {id, prefix + "unit_C_", prefix + "unit_L_", prefix + "unit_S_", prefix + "unit_D_"}) {
        std::vector<PlaceId> places;
        while (const auto place = nodes.place(name + std::to_string(places.size() + 1)))
            places.push_back(*place);
        if (!places.empty()) hubs.push_back(std::move(places));
    }
    const auto is_other = [&](const auto& places) {
        return places.size() != hubs.front().size() || std::ranges::any_of(places, [&](PlaceId place) {
                   return net[place].initial != net[places.front()].initial;
               });
    };
    if (std::ranges::any_of(hubs, is_other)) return {};
    return hubs;
}

/// The net with the places of each hub as one, the first, which has the tokens of all.
Net with_one(const Net& net, const std::vector<std::vector<PlaceId>>& hubs) {
    NetBuilder builder(net.id());
    std::vector<PlaceId> merged_into(net.places().size());
    for (std::size_t p = 0; p < merged_into.size(); ++p) merged_into[p] = PlaceId(p);
    std::vector<Tokens> tokens(net.places().size());
    for (std::size_t p = 0; p < tokens.size(); ++p) tokens[p] = net.places()[p].initial;
    for (const auto& places : hubs) {
        tokens[index(places.front())] *= static_cast<Tokens>(places.size());
        for (const PlaceId place : places) merged_into[index(place)] = places.front();
    }
    std::vector<PlaceId> place_of(net.places().size());
    for (std::size_t p = 0; p < net.places().size(); ++p)
        if (merged_into[p] == PlaceId(p)) place_of[p] = builder.add_place(net.places()[p].id, tokens[p]);
    for (std::size_t p = 0; p < net.places().size(); ++p) place_of[p] = place_of[index(merged_into[p])];
    for (std::size_t t = 0; t < net.transitions().size(); ++t) {
        const Transition& transition = net.transitions()[t];
        const TransitionId added = builder.add_transition(transition.id);
        builder.set_priority(added, transition.priority);
        if (transition.immediate) builder.set_immediate(added);
        for (const Arc& arc : net.arcs_of(TransitionId(t)))
            builder.add_arc(arc.kind, place_of[index(arc.place)], added, arc.weight);
    }
    return builder.build();
}

/// The kernel with all schedulers as one, if warp i uses scheduler i modulo the number of schedulers.
std::optional<netgen::KernelNet> fixed_kernel_of(const Net& net,
                                                 const std::vector<std::vector<PlaceId>>& hubs) {
    if (hubs.empty()) return {};
    const std::size_t schedulers = hubs.front().size();
    std::optional<netgen::KernelNet> kernel = netgen::recognise_kernel(with_one(net, hubs));
    if (!kernel || !kernel->instance.schedulers) return {};
    const auto length = kernel->instance.type.size();
    for (std::size_t i = 0; i < kernel->transition.size(); ++i) {
        const std::size_t own = i / length % schedulers;
        for (const Arc& arc : net.arcs_of(kernel->transition[i]))
            for (const auto& places : hubs)
                if (arc.place != places[own] && std::ranges::find(places, arc.place) != places.end())
                    return {};
    }
    return kernel;
}

std::optional<Machine> fixed_machine_of(const Net& net) {
    const std::vector<std::vector<PlaceId>> hubs = fixed_hubs(net);
    if (!fixed_kernel_of(net, hubs)) return {};
    return Machine{SchedulerUse::fixed, static_cast<std::int64_t>(hubs.front().size()), 1,
                   net[hubs.front().front()].initial};
}

/// Whether the net is of a known family and no two of its warps ever wait for each other.
bool has_lone_warps(const Net& net) {
    if (const std::optional<netgen::KernelNet> kernel = netgen::recognise_kernel(net))
        return kernel->instance.warps == 1;
    if (const std::optional<netgen::WarpsSpec> warps = netgen::recognise_warps(net)) {
        const std::size_t active = warps->active.value_or(warps->warps.size());
        return active == 1 || (warps->assignment == netgen::Assignment::fixed &&
                               active <= static_cast<std::size_t>(warps->schedulers));
    }
    if (const std::optional<UnconnectedParts> equal = unconnected_parts(net, 1);
        equal && equal->parts.size() > 1)
        return has_lone_warps(equal->kinds.front());
    return false;
}

}  // namespace

std::optional<netgen::KernelNet> kernel_of_free_schedulers(const Net& net) {
    const std::vector<std::vector<PlaceId>> hubs = fixed_hubs(net);
    std::optional<netgen::KernelNet> kernel = fixed_kernel_of(net, hubs);
    if (!kernel) return {};
    const auto schedulers = static_cast<std::int64_t>(hubs.front().size());
    const std::int64_t most_warps = (kernel->instance.warps - 1) / schedulers + 1;  // of a scheduler
    for (const auto& places : hubs)
        if (net[places.front()].initial < most_warps) return {};
    return kernel;
}

std::optional<ServedParts> parts_to_order(const Net& net, const CompiledNet& compiled) {
    std::optional<ServedParts> served = served_parts_if_any(compiled);
    if (served || has_lone_warps(net)) return served;
    return find_served_parts(compiled);  // throws: the net has no such parts
}

SchedulerUse scheduler_use(netgen::Assignment assignment) {
    switch (assignment) {
        case netgen::Assignment::fixed:
            return SchedulerUse::fixed;
        case netgen::Assignment::any:
            return SchedulerUse::any;
        case netgen::Assignment::shared:
            break;
    }
    return SchedulerUse::shared;
}

Machine machine_of(const Net& net) {
    if (const std::optional<netgen::KernelNet> kernel = netgen::recognise_kernel(net)) {
        if (!kernel->instance.schedulers) return {SchedulerUse::unlimited};
        return {SchedulerUse::shared, *kernel->instance.schedulers};
    }
    if (const std::optional<Machine> fixed = fixed_machine_of(net)) return *fixed;
    if (const std::optional<netgen::WarpsSpec> warps = netgen::recognise_warps(net))
        return {scheduler_use(warps->assignment), warps->schedulers, static_cast<std::int64_t>(warps->sms),
                warps->dispatch_units};
    if (const std::optional<netgen::SmNet> sm = netgen::recognise_sm(net))
        return {SchedulerUse::fixed, sm->program.schedulers};
    if (const std::optional<UnconnectedParts> equal = unconnected_parts(net, 1))
        return machine_of(equal->kinds.front());
    return {};
}

std::string to_text(const Machine& machine) {
    std::string text;
    const std::string of_sms = machine.sms > 1 ? fmt::format(" of each of {} SMs", machine.sms) : "";
    switch (machine.schedulers) {
        case SchedulerUse::unknown:
            text = "this net, as given";
            break;
        case SchedulerUse::shared:
        case SchedulerUse::fixed:
        case SchedulerUse::any: {
            const char* const warps = machine.sms > 1 ? "all its warps" : "all warps";
            const bool fixed = machine.schedulers == SchedulerUse::fixed,
                       any = machine.schedulers == SchedulerUse::any;
            text = machine.count == 1 ? fmt::format("1 scheduler{} for {}", of_sms, warps)
                   : any
                       ? fmt::format("schedulers{} fixed to warps, in any assignment of equally many", of_sms)
                   : fixed ? fmt::format("schedulers{} fixed to warps: by the number of the warp", of_sms)
                           : fmt::format("schedulers{} shared by {}, not fixed to warps", of_sms, warps);
            if (machine.count > 1) text = fmt::format("{} {}", machine.count, text);
            if (machine.count > 1 && fixed) text += fmt::format(" mod {}", machine.count);
            if (machine.dispatch_units > 1)
                text += fmt::format(", {} dispatch units each", machine.dispatch_units);
            break;
        }
        case SchedulerUse::unlimited:
            text = "no limit of schedulers";
            break;
    }
    if (!machine.units.empty()) text += "; units " + machine.units;
    if (!machine.own_units.empty())
        text += fmt::format(" ({} per scheduler)", fmt::join(machine.own_units, ", "));
    if (!machine.latencies.empty())
        text += machine.latencies == "none"    ? "; no latencies"
                : machine.latencies == "flags" ? "; latencies as given"
                                               : "; latencies of " + machine.latencies;
    // Each letter has one latency, and shared memory has the letter of DRAM.
    const bool of_device =
        !machine.latencies.empty() && machine.latencies != "none" && !machine.latencies.ends_with("flags");
    if (of_device && machine.units.find('L') != std::string::npos) text += ", each L that of DRAM";
    if (of_device) text += "; a step is a cycle";
    return text;
}

}  // namespace warpnet::worst
