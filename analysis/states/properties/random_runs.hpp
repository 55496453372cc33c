#pragma once

#include "analysis/states/properties/goals.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/run/run.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace warpnet {

struct RandomRunsOptions {
    Semantics semantics = Semantics::interleaving;
    std::uint64_t seed = 1;
    std::uint64_t runs = 24;
    std::uint64_t max_steps = 30'000;  ///< of each run
    bool schedules = true;             ///< keep the steps to what was found
    WorkLimits limits = {};            ///< of time
};

/// Looks for the goals that are still open in random runs, and tells them what it found: that a marking can
/// be reached, larger values of sums, tokens that change. The same on any number of threads; O(goals) a step.
void try_random_runs(const Net& net, const CompiledNet& compiled, const RandomRunsOptions& options,
                     Goals& goals);

}  // namespace warpnet
