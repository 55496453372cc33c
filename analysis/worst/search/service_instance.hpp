#pragma once

#include "analysis/worst/search/service_net.hpp"
#include "analysis/worst/search/service_starts.hpp"
#include "engine/plan.hpp"

#include <cstdint>

namespace warpnet {

/// A net whose parts meet in hubs, ready to be searched.
struct PlanInstance {
    /// See plan_instance().
    PlanInstance(const Plan& planned, std::uint64_t steps, std::uint64_t seed, const WorkLimits& limits = {})
        : net(*planned.compiled, *planned.modules), max_steps(steps), starts(net, steps, seed, limits) {}

    PlanNet net;
    std::uint64_t max_steps;
    PlanStarts starts;
};

}  // namespace warpnet
