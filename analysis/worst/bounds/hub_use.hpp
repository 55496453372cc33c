#pragma once

#include "analysis/worst/bounds/module_graph.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpnet::worst {

/// The role of each hub in the waiting of a net's modules.
struct HubUse {
    enum class Kind : std::uint8_t {
        ample,   ///< never short of tokens: no module ever waits for it
        shared,  ///< can be short; no module holds it while it waits or after it has ended
        tied,    ///< can be short; a module may keep its tokens, wait with them, or add some
    };
    std::vector<Kind> kinds;            ///< per hub
    std::vector<std::uint32_t> shared;  ///< hubs of that kind
    bool any_tied = false;
    /// The reason for which a module may wait forever while the net continues: a hub loop takes the tokens it
    /// waits for. Empty: no module can wait forever.
    std::string starved;
};

HubUse hub_use(const CompiledNet& net, const ModuleNet& parts, const ModuleGraph& graph,
               const std::vector<ModuleClass>& classes);

}  // namespace warpnet::worst
