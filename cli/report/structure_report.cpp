#include "cli/report/structure_report.hpp"

#include "analysis/states/structure/incidence.hpp"
#include "analysis/states/structure/invariants.hpp"
#include "analysis/states/structure/net_class.hpp"
#include "analysis/states/structure/siphons.hpp"
#include "cli/report/report_row.hpp"
#include "engine/base/to_json.hpp"

#include <algorithm>
#include <span>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t places_for_siphons = 200;
constexpr std::size_t listed_invariants = 5;
constexpr std::size_t listed_terms = 8;

struct Structure {
    std::vector<std::vector<TransitionId>> clusters;
    NetClass net_class;
    std::optional<std::size_t> rank;
    Invariants of_places, of_transitions;
    Boundedness bounded;
    std::optional<Siphons> siphons;

    explicit Structure(const Net& net)
        : clusters(conflict_clusters(net)),
          net_class(class_of(net)),
          rank(matrix_rank(incidence_matrix(net))),
          of_places(p_invariants(net)),
          of_transitions(t_invariants(net)),
          bounded(boundedness(net, of_places)) {
        if (net.places().size() <= places_for_siphons) siphons = minimal_siphons(net);
    }
};

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

std::string yes_no(std::optional<bool> answer) {
    return answer ? (*answer ? "yes" : "no") : "not known: a limit was reached";
}

template <class Nodes>
void add_invariants(std::string& text, const char* what, const Nodes& nodes, const Invariants& invariants,
                    bool sums) {
    add_row(text, what,
            fmt::format("{} minimal{}", invariants.all.size(),
                        invariants.complete ? "" : " found, there are more than could be enumerated"));
    for (std::size_t i = 0; i < std::min(invariants.all.size(), listed_invariants); ++i) {
        std::string line;
        Tokens sum = 0;
        bool in_range = true;
        for (std::size_t k = 0; k < invariants.all[i].size(); ++k) {
            const auto [node, weight] = invariants.all[i][k];
            if constexpr (std::is_same_v<Nodes, std::span<const Place>>) {
                Tokens part = 0;
                in_range &= !__builtin_mul_overflow(weight, nodes[node].initial, &part);
                in_range &= !__builtin_add_overflow(sum, part, &sum);
            }
            if (k >= listed_terms) continue;
            line += fmt::format("{}{}{}", k == 0 ? "" : " + ", weight == 1 ? "" : fmt::format("{} ", weight),
                                nodes[node].id);
        }
        if (invariants.all[i].size() > listed_terms)
            line += fmt::format(" + {} more", invariants.all[i].size() - listed_terms);
        if (sums && in_range) line += fmt::format(" = {}", sum);
        text += fmt::format("    {}\n", line);
    }
    if (invariants.all.size() > listed_invariants)
        text += fmt::format("    and {} more; --json lists all\n", invariants.all.size() - listed_invariants);
}

void add_siphons(std::string& text, const Net& net, const Siphons& siphons) {
    add_row(text, "siphons",
            fmt::format("{} minimal{}", siphons.minimal.size(),
                        siphons.complete ? "" : " found, there are more than could be enumerated"));
    if (!siphons.without_marked_trap) {
        if (siphons.complete) add_row(text, "Commoner's property", "every siphon holds a marked trap");
        return;
    }
    std::string places;
    for (const std::uint32_t p : *siphons.without_marked_trap)
        places += (places.empty() ? "" : " ") + net.places()[p].id;
    add_row(text, "Commoner's property", fmt::format("no marked trap in the siphon {}", places));
}

}  // namespace

void add_structure_json(const Net& net, Json& report) {
    const Structure structure(net);
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
    if (!structure.siphons) return;
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
}

std::string structure_text(const Net& net) {
    const Structure structure(net);
    std::string text;
    add_row(text, "class", std::string(to_string(structure.net_class)));
    add_row(text, "conflict clusters",
            fmt::format("{}, the largest of {} transitions", structure.clusters.size(),
                        structure.clusters.empty() ? 0 : structure.clusters.front().size()));
    if (structure.rank) add_row(text, "rank", std::to_string(*structure.rank));
    add_invariants(text, "P-invariants", net.places(), structure.of_places, true);
    add_invariants(text, "T-invariants", net.transitions(), structure.of_transitions, false);
    add_row(text, "conservative", yes_no(structure.bounded.conservative));
    add_row(text, "structurally bounded", yes_no(structure.bounded.structurally_bounded));
    if (structure.siphons) add_siphons(text, net, *structure.siphons);
    return text;
}

}  // namespace warpnet::cli
