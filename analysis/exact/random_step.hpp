#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

struct StepChance {
    bool immediate = false;
    std::vector<std::uint32_t> transitions;  ///< ascending
    double probability = 1;
};

/// Every maximal step of a marking with its probability under a uniformly random order of the enabled
/// transitions, taken greedily; higher priorities first, immediate transitions before timed ones. None where
/// the marking is dead. Exponential in the transitions that compete with each other for the same places.
std::vector<StepChance> random_steps(const CompiledNet& net, std::span<const Tokens> marking);

}  // namespace warpnet
