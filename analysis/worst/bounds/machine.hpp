#pragma once

#include "engine/net/net.hpp"
#include "netgen/warps/assignment.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace warpnet::netgen {
struct KernelNet;
}  // namespace warpnet::netgen

namespace warpnet {
struct CompiledNet;
struct ServedParts;
}  // namespace warpnet

namespace warpnet::worst {

/// The schedulers of a machine that each warp may use. A bound for one kind proves nothing for another kind.
enum class SchedulerUse : std::uint8_t {
    unknown,    ///< the net does not show it: the bound is valid for the net as given
    shared,     ///< any warp of an SM may use any scheduler; GPUs since Kepler fix each warp to one
    fixed,      ///< warp i of an SM uses scheduler (i - 1) mod S
    any,        ///< fixed to warps, in any assignment of equally many to each
    unlimited,  ///< no limit over all units
};

/// The machine that a bound is for.
struct Machine {
    SchedulerUse schedulers = SchedulerUse::unknown;
    std::int64_t count = 0;           ///< schedulers of an SM, if they are limited; 0: any number
    std::int64_t sms = 1;             ///< each with that number of schedulers
    std::int64_t dispatch_units = 1;  ///< of a scheduler that is fixed to warps
    std::string units = {};           ///< of a kernel given by flags: "C=4,L=1/2"; empty: those of the net
    std::string own_units = {};       ///< letters of these units that each scheduler has for its own warps
    std::string latencies = {};       ///< their source: a device, "flags" or "none"; empty: the net
};

/// The machine that the structure of a net shows: nets of the families `warps`, `kernel` and `sm` are
/// recognised; for any other net the machine is the net itself. O(size of the net).
Machine machine_of(const Net& net);

/// The kernel of a net whose warps are fixed to schedulers, if no scheduler and none of its own units is ever
/// short: each has a token for every one of its warps. It then has as many schedulers and units as the warps
/// can use. Nothing for other nets. O(size of the net).
std::optional<netgen::KernelNet> kernel_of_free_schedulers(const Net& net);

/// The parts of a net that a policy orders. Nothing if it is recognised and no two of its warps ever wait for
/// each other (one alone, or each with a scheduler of its own): the policy decides nothing there. Throws
/// InputError if any other net has no such parts. O(find_served_parts()).
std::optional<ServedParts> parts_to_order(const Net& net, const CompiledNet& compiled);

SchedulerUse scheduler_use(netgen::Assignment assignment);

/// The machine in one sentence, without its full stop.
std::string to_text(const Machine& machine);

}  // namespace warpnet::worst
