#pragma once

#include "analysis/states/linear/invariants.hpp"
#include "analysis/states/structure/net_class.hpp"
#include "engine/net/net.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace warpnet::states {

/// Places by ascending index.
using PlaceSet = std::vector<std::uint32_t>;

/// The minimal siphons or traps of a net.
struct MinimalSets {
    std::vector<PlaceSet> minimal;  ///< in ascending order
    bool complete = true;           ///< false: the limit was reached; there may be more
};

/// The minimal siphons of a net and whether each holds a trap that is marked at the start.
struct Siphons : MinimalSets {
    /// The first one without a marked trap, if any: it can run empty, and its transitions are then dead.
    std::optional<PlaceSet> without_marked_trap;
};

/// A siphon is a set of places that, once empty, stays empty: every transition that gives to it takes from it
/// (a trap: the other way round). Commoner's property, a marked trap in every siphon, excludes dead markings
/// in an ordinary net without inhibitor and read arcs ([Murata89] section V); in other nets it is only a
/// hint.
///
/// Enumerated by dividing the problem by the places of each siphon found [Cordone05]. There can be
/// exponentially many, so at most `limit` problems are solved, each O(places x arcs).
Siphons minimal_siphons(const Net& net, std::size_t limit = 5000);
/// The minimal traps, at the same cost.
MinimalSets minimal_traps(const Net& net, std::size_t limit = 5000);

/// The properties of a net that do not depend on its reachable markings.
struct Structure {
    std::vector<std::vector<TransitionId>> clusters;  ///< conflict clusters, the largest first
    NetClass net_class;
    std::optional<std::size_t> rank;
    Invariants of_places, of_transitions;
    Boundedness bounded;
    std::optional<Siphons> siphons;    ///< of nets of at most 200 places
    std::optional<MinimalSets> traps;  ///< of the same nets

    explicit Structure(const Net& net);
};

/// The object of `inspect --json`. It names the limits that were reached.
nlohmann::ordered_json to_json(const Net& net, const Structure& structure);

}  // namespace warpnet::states
