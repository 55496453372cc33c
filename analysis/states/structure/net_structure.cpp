#include "analysis/states/structure/net_structure.hpp"

#include "engine/base/to_json.hpp"

#include <utility>

// Collects the structural properties for `inspect`. Siphons are left out above 200 places, because there can
// be exponentially many.

namespace warpnet {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t places_for_siphons = 200;

template <class Nodes>
Json invariants_json(const Nodes& nodes, const Invariants& invariants) {
    Json list = Json::array();
    for (const Invariant& invariant : invariants.all) {
        Json terms = Json::object();
        for (const auto [node, weight] : invariant) terms[nodes[node].id] = weight;
        list.push_back(std::move(terms));
    }
    return list;
}

Json place_ids(const Net& net, const PlaceSet& places) {
    Json ids = Json::array();
    for (const std::uint32_t p : places) ids.push_back(net.places()[p].id);
    return ids;
}

}  // namespace

Structure::Structure(const Net& net)
    : clusters(conflict_clusters(net)),
      net_class(class_of(net)),
      rank(matrix_rank(incidence_matrix(net))),
      of_places(p_invariants(net)),
      of_transitions(t_invariants(net)),
      bounded(boundedness(net, of_places)) {
    if (net.places().size() <= places_for_siphons) siphons = minimal_siphons(net);
}

nlohmann::ordered_json to_json(const Net& net, const Structure& structure) {
    Json report;
    report["conflict_clusters"] = structure.clusters.size();
    report["largest_cluster"] = structure.clusters.empty() ? 0 : structure.clusters.front().size();
    report["class"] = to_string(structure.net_class);
    report["rank"] = or_null(structure.rank);
    report["p_invariants"] = invariants_json(net.places(), structure.of_places);
    report["p_invariants_complete"] = structure.of_places.complete;
    report["t_invariants"] = invariants_json(net.transitions(), structure.of_transitions);
    report["t_invariants_complete"] = structure.of_transitions.complete;
    report["conservative"] = or_null(structure.bounded.conservative);
    report["structurally_bounded"] = or_null(structure.bounded.structurally_bounded);
    if (!structure.siphons) return report;
    Json siphons = {{"minimal", structure.siphons->minimal.size()},
                    {"complete", structure.siphons->complete},
                    {"commoner", nullptr}};
    if (structure.siphons->without_marked_trap) {
        siphons["commoner"] = false;
        siphons["without_marked_trap"] = place_ids(net, *structure.siphons->without_marked_trap);
    } else if (structure.siphons->complete) {
        siphons["commoner"] = true;
    }
    report["siphons"] = std::move(siphons);
    return report;
}

}  // namespace warpnet
