#pragma once

#include "analysis/worst/exact/distribution.hpp"
#include "engine/base/random.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet::worst {

struct StepChance {
    bool immediate = false;
    std::vector<std::uint32_t> transitions;  ///< ascending
    double probability = 1;
};

struct StepChances {
    std::vector<StepChance> steps;     ///< none: the marking is dead
    WorkEnd stop = WorkEnd::complete;  ///< else a limit was met, and `steps` is empty
};

/// Every maximal step of a marking with its probability under a uniformly random order of the enabled
/// transitions, taken greedily; higher priorities first, immediate transitions before timed ones. Exponential
/// in the number of transitions that compete for the same places, and in the number of such places. One
/// marking can have more steps than any memory holds, so memory, deadline and interrupt of the limits are
/// observed.
StepChances random_steps(const CompiledNet& net, std::span<const Tokens> marking,
                         const WorkLimits& limits = {});

struct MarkingHash {
    std::size_t operator()(const Marking& marking) const noexcept {
        std::uint64_t hash = marking.size();
        for (const Tokens tokens : marking) hash = hash_bits(hash, static_cast<std::uint64_t>(tokens));
        return static_cast<std::size_t>(hash);
    }
};

/// step_distribution() over markings, time by time, for any net. One thread; O(markings x steps of a marking)
/// per time.
StepDistribution marking_distribution(const CompiledNet& net, const DistributionOptions& options);

}  // namespace warpnet::worst
