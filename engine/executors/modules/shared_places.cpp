// The hubs of a small net have few consumers, so several thresholds are tried until the net consists of
// modules.

#include "engine/executors/modules/shared_places.hpp"

#include "engine/executors/modules/net.hpp"

#include <algorithm>

namespace warpnet {

namespace {

/// Per place: whether a transition that changes the marking gives it tokens.
std::vector<std::uint8_t> given_back(const CompiledNet& net) {
    std::vector<std::uint8_t> given(net.place_count(), 0);
    for (std::size_t t = 0; t < net.transition_count(); ++t) {
        if (net.effects[t].empty()) continue;
        for (const PlaceWeight& output : net.outputs[t]) given[output.place] = 1;
    }
    return given;
}

constexpr std::uint32_t few_consumers = 4;  // like the schedulers of SMs with few warps

}  // namespace

std::vector<std::uint32_t> shared_places(const CompiledNet& net) {
    for (const std::uint32_t consumers : {CompileOptions{}.hub_consumers, few_consumers}) {
        const ModuleAnalysis modules = find_modules(net, consumers);
        if (!modules.net) continue;
        std::vector<std::uint32_t> shared = modules.net->hubs;
        const std::vector<std::uint8_t> given = given_back(net);
        std::erase_if(shared, [&](std::uint32_t hub) { return net.initial[hub] == 0 || given[hub] == 0; });
        return shared;
    }
    return {};
}

}  // namespace warpnet
