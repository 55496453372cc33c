// Minimal siphons by dividing the problem [Cordone05]: the largest siphon within a set of places is found by
// removing places that something feeds from outside, then shrunk to a minimal one. Every other minimal siphon
// lacks some place of that one, so one problem per place of it remains, each without that place. Cost:
// O(places x arcs) per problem, exponentially many problems at worst, hence the limit. A trap is a siphon of
// the reversed arcs.

#include "analysis/states/structure/net_structure.hpp"

#include "engine/base/to_json.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace warpnet::states {

namespace {

using Flags = std::vector<std::uint8_t>;

/// The arcs as siphons need them; for traps with input and output exchanged.
struct Arcs {
    std::vector<std::vector<std::uint32_t>> givers, takers;  // per place: transitions

    Arcs(const Net& net, bool exchanged) : givers(net.places().size()), takers(net.places().size()) {
        for (const Arc& arc : net.arcs()) {
            const auto transition = static_cast<std::uint32_t>(index(arc.transition));
            const bool gives = arc.kind == (exchanged ? ArcKind::input : ArcKind::output);
            const bool takes = arc.kind == (exchanged ? ArcKind::output : ArcKind::input);
            if (gives) givers[index(arc.place)].push_back(transition);
            if (takes) takers[index(arc.place)].push_back(transition);
        }
    }
};

/// Finds siphons within sets of places.
class SiphonFinder {
  public:
    SiphonFinder(const Net& net, bool traps) : arcs_(net, traps), takes_from_(net.transitions().size()) {}

    /// Shrinks a set to the largest siphon in it.
    void shrink(Flags& places) {
        std::fill(takes_from_.begin(), takes_from_.end(), 0);
        for (std::size_t p = 0; p < places.size(); ++p) {
            if (places[p] == 0) continue;
            for (const std::uint32_t t : arcs_.takers[p]) ++takes_from_[t];
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t p = 0; p < places.size(); ++p) {
                if (places[p] == 0 || fed_from_inside(p)) continue;
                places[p] = 0;
                for (const std::uint32_t t : arcs_.takers[p]) --takes_from_[t];
                changed = true;
            }
        }
    }

  private:
    bool fed_from_inside(std::size_t place) const {
        return std::all_of(arcs_.givers[place].begin(), arcs_.givers[place].end(),
                           [&](std::uint32_t t) { return takes_from_[t] > 0; });
    }

    Arcs arcs_;
    std::vector<std::uint32_t> takes_from_;  // per transition: places of the set from which it takes
};

bool includes(const Flags& larger, const Flags& smaller) {
    for (std::size_t p = 0; p < smaller.size(); ++p) {
        if (smaller[p] != 0 && larger[p] == 0) return false;
    }
    return true;
}

PlaceSet places_of(const Flags& flags) {
    PlaceSet places;
    for (std::uint32_t p = 0; p < flags.size(); ++p) {
        if (flags[p] != 0) places.push_back(p);
    }
    return places;
}

bool holds_marked_trap(const Net& net, SiphonFinder& traps, const PlaceSet& siphon) {
    Flags inside(net.places().size(), 0);
    for (const std::uint32_t p : siphon) inside[p] = 1;
    traps.shrink(inside);
    return std::any_of(siphon.begin(), siphon.end(),
                       [&](std::uint32_t p) { return inside[p] != 0 && net.places()[p].initial > 0; });
}

/// A siphon that contains all of `required` and from which no other place can be removed.
void minimise(SiphonFinder& finder, const Flags& required, Flags& siphon) {
    for (std::size_t p = 0; p < siphon.size(); ++p) {
        if (siphon[p] == 0 || required[p] != 0) continue;
        Flags smaller = siphon;
        smaller[p] = 0;
        finder.shrink(smaller);
        const bool empty = std::none_of(smaller.begin(), smaller.end(), [](auto flag) { return flag != 0; });
        if (!empty && includes(smaller, required)) siphon = std::move(smaller);
    }
}

MinimalSets minimal_sets(const Net& net, bool traps, std::size_t limit) {
    struct Problem {
        Flags allowed, required;
    };
    const std::size_t count = net.places().size();
    SiphonFinder finder(net, traps);
    std::vector<Problem> open = {{Flags(count, 1), Flags(count, 0)}};
    std::set<PlaceSet> found;
    MinimalSets result;
    for (std::size_t looked_at = 0; !open.empty(); ++looked_at) {
        if (looked_at == limit) {
            result.complete = false;
            break;
        }
        const Problem problem = std::move(open.back());
        open.pop_back();
        Flags siphon = problem.allowed;
        finder.shrink(siphon);
        const PlaceSet largest = places_of(siphon);
        if (largest.empty() || !includes(siphon, problem.required)) continue;
        const Flags allowed = siphon;
        minimise(finder, problem.required, siphon);
        const PlaceSet places = places_of(siphon);
        found.insert(places);
        // Every other minimal siphon lacks some place of this one: the first missing place divides the rest.
        Flags required = problem.required;
        for (const std::uint32_t place : places) {
            if (required[place] != 0) continue;
            Problem rest{allowed, required};
            rest.allowed[place] = 0;
            open.push_back(std::move(rest));
            required[place] = 1;
        }
    }
    for (const PlaceSet& places : found) {
        const bool larger = std::any_of(found.begin(), found.end(), [&](const PlaceSet& other) {
            return other.size() < places.size() &&
                   std::includes(places.begin(), places.end(), other.begin(), other.end());
        });
        if (!larger) result.minimal.push_back(places);
    }
    return result;
}

}  // namespace

Siphons minimal_siphons(const Net& net, std::size_t limit) {
    Siphons result{minimal_sets(net, false, limit), {}};
    SiphonFinder traps(net, true);
    const auto without =
        std::find_if(result.minimal.begin(), result.minimal.end(),
                     [&](const PlaceSet& siphon) { return !holds_marked_trap(net, traps, siphon); });
    if (without != result.minimal.end()) result.without_marked_trap = *without;
    return result;
}

MinimalSets minimal_traps(const Net& net, std::size_t limit) { return minimal_sets(net, true, limit); }

// Collects the structural properties for `inspect`. Siphons are left out above 200 places, because there can
// be exponentially many.

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

Json sets_json(const Net& net, const MinimalSets& sets) {
    Json list = Json::array();
    for (const PlaceSet& places : sets.minimal) list.push_back(place_ids(net, places));
    return {{"count", sets.minimal.size()}, {"complete", sets.complete}, {"sets", std::move(list)}};
}

}  // namespace

Structure::Structure(const Net& net)
    : clusters(conflict_clusters(net)),
      net_class(class_of(net)),
      rank(matrix_rank(incidence_matrix(net))),
      of_places(p_invariants(net)),
      of_transitions(t_invariants(net)),
      bounded(boundedness(net, of_places)) {
    if (net.places().size() > places_for_siphons) return;
    siphons = minimal_siphons(net);
    traps = minimal_traps(net);
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
    Json siphons = sets_json(net, *structure.siphons);
    siphons["commoner"] = nullptr;
    if (structure.siphons->without_marked_trap) {
        siphons["commoner"] = false;
        siphons["without_marked_trap"] = place_ids(net, *structure.siphons->without_marked_trap);
    } else if (structure.siphons->complete) {
        siphons["commoner"] = true;
    }
    report["siphons"] = std::move(siphons);
    report["traps"] = sets_json(net, *structure.traps);
    return report;
}

}  // namespace warpnet::states
