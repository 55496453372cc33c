#pragma once

#include "analysis/worst/bounds/module_graph.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpnet {

/// What hubs mean for the waiting of a net's modules.
struct HubUse {
    enum class Kind : std::uint8_t {
        ample,   ///< never short of tokens: nobody ever waits for it
        shared,  ///< can be short; nobody holds tokens of it while waiting or at an end
        tied,    ///< can be short, and somebody may hold tokens of it for good, wait with them, or make new
                 ///< ones
    };
    std::vector<Kind> kinds;            ///< per hub
    std::vector<std::uint32_t> shared;  ///< hubs of that kind
    bool any_tied = false;
    /// Why a module may wait for ever while the net goes on: a hub loop takes what it waits for. Empty: none
    /// can.
    std::string starved;
};

HubUse hub_use(const CompiledNet& net, const ModuleNet& parts, const ModuleGraph& graph,
               const std::vector<ModuleClass>& classes);

}  // namespace warpnet
