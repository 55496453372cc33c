#pragma once

#include "analysis/states/structure/invariants.hpp"
#include "analysis/states/structure/net_class.hpp"
#include "analysis/states/structure/siphons.hpp"
#include "engine/net/net.hpp"

#include <cstddef>
#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace warpnet {

/// The properties of a net that do not depend on its reachable markings.
struct Structure {
    std::vector<std::vector<TransitionId>> clusters;  ///< conflict clusters, the largest first
    NetClass net_class;
    std::optional<std::size_t> rank;
    Invariants of_places, of_transitions;
    Boundedness bounded;
    std::optional<Siphons> siphons;  ///< of nets of at most 200 places

    explicit Structure(const Net& net);
};

/// The object of `inspect --json`. It names the limits that were reached.
nlohmann::ordered_json to_json(const Net& net, const Structure& structure);

}  // namespace warpnet
