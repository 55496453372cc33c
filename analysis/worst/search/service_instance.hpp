#pragma once

#include "analysis/worst/search/service_net.hpp"
#include "analysis/worst/search/service_starts.hpp"
#include "engine/plan.hpp"

#include <cstdint>

namespace warpnet::worst {

/// A net whose modules meet only in hubs, ready to be searched.
struct ServiceInstance {
    /// Made by service_instance().
    ServiceInstance(const Plan& planned, std::uint64_t steps, std::uint64_t seed,
                    const WorkLimits& limits = {})
        : net(planned.net(), *planned.modules()), max_steps(steps), starts(net, steps, seed, limits) {}

    ServiceNet net;
    std::uint64_t max_steps;
    ServiceStarts starts;
};

}  // namespace warpnet::worst
