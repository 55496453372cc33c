#pragma once

#include "engine/net/net.hpp"

#include <cstdint>
#include <string>

namespace warpnet {

/// Who may use the schedulers of a machine. A bound for one kind says nothing of the others.
enum class SchedulerUse : std::uint8_t {
    unknown,    ///< the net does not tell: its bound is one of the net as given
    shared,     ///< any warp of an SM may use any scheduler; GPUs since Kepler fix each warp to one
    unlimited,  ///< no limit over all units
};

/// The machine that a bound is for.
struct Machine {
    SchedulerUse schedulers = SchedulerUse::unknown;
    std::int64_t count = 0;      ///< schedulers of an SM, if they are shared; 0: any number
    std::string units = {};      ///< of a kernel given by flags: "C=4,L=1/2"; empty: what the net says
    std::string latencies = {};  ///< where they come from: a device, "flags" or "none"; empty: the net
};

/// What the structure of a net tells: nets of the families `warps` and `kernel` are recognised, of all others
/// the machine is the net itself. O(size of the net).
Machine machine_of(const Net& net);

/// The machine in one sentence, without its full stop.
std::string to_text(const Machine& machine);

}  // namespace warpnet
