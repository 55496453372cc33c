#include "analysis/states/structure/net_class.hpp"

#include "analysis/states/structure/weightings.hpp"
#include "engine/base/disjoint_sets.hpp"

#include <algorithm>
#include <numeric>

namespace warpnet {

namespace {

/// Per place and transition who stands before and behind it, by ascending index.
struct Surroundings {
    std::vector<std::vector<std::uint32_t>> consumers, producers;  // of places
    std::vector<std::vector<std::uint32_t>> inputs, outputs;       // of transitions

    explicit Surroundings(const Net& net)
        : consumers(net.places().size()),
          producers(net.places().size()),
          inputs(net.transitions().size()),
          outputs(net.transitions().size()) {
        for (const Arc& arc : net.arcs()) {
            const auto place = static_cast<std::uint32_t>(index(arc.place));
            const auto transition = static_cast<std::uint32_t>(index(arc.transition));
            if (arc.kind == ArcKind::input) {
                consumers[place].push_back(transition);
                inputs[transition].push_back(place);
            } else if (arc.kind == ArcKind::output) {
                producers[place].push_back(transition);
                outputs[transition].push_back(place);
            }
        }
    }
};

template <class Lists, class Size>
bool all_have(const Lists& lists, Size size) {
    return std::all_of(lists.begin(), lists.end(), [&](const auto& list) { return list.size() == size; });
}

/// Whether related(a, b) holds for the consumers of any two places that share one.
template <class Related>
bool for_places_of_a_transition(const Surroundings& around, Related&& related) {
    for (const auto& places : around.inputs) {
        for (std::size_t i = 0; i < places.size(); ++i) {
            for (std::size_t j = i + 1; j < places.size(); ++j) {
                if (!related(around.consumers[places[i]], around.consumers[places[j]])) return false;
            }
        }
    }
    return true;
}

bool includes(const std::vector<std::uint32_t>& larger, const std::vector<std::uint32_t>& smaller) {
    return std::includes(larger.begin(), larger.end(), smaller.begin(), smaller.end());
}

bool covers_places(const Net& net, const Invariants& invariants) {
    std::vector<std::uint8_t> covered(net.places().size(), 0);
    for (const Invariant& invariant : invariants.all) {
        for (const InvariantTerm& term : invariant) {
            if (term.node < covered.size()) covered[term.node] = 1;
        }
    }
    return std::all_of(covered.begin(), covered.end(), [](auto flag) { return flag != 0; });
}

}  // namespace

std::string_view to_string(NetClass net_class) {
    switch (net_class) {
        case NetClass::state_machine:
            return "state machine";
        case NetClass::marked_graph:
            return "marked graph";
        case NetClass::free_choice:
            return "free choice";
        case NetClass::extended_free_choice:
            return "extended free choice";
        case NetClass::asymmetric_choice:
            return "asymmetric choice";
        case NetClass::ordinary:
            return "ordinary";
        case NetClass::general:
            return "general";
    }
    return "";
}

NetClass class_of(const Net& net) {
    const bool ordinary = std::all_of(net.arcs().begin(), net.arcs().end(), [](const Arc& arc) {
        return arc.weight == 1 && (arc.kind == ArcKind::input || arc.kind == ArcKind::output);
    });
    if (!ordinary) return NetClass::general;
    const Surroundings around(net);
    if (all_have(around.inputs, 1U) && all_have(around.outputs, 1U)) return NetClass::state_machine;
    if (all_have(around.consumers, 1U) && all_have(around.producers, 1U)) return NetClass::marked_graph;
    const bool free_choice =
        std::all_of(around.consumers.begin(), around.consumers.end(), [&](const auto& list) {
            return list.size() <= 1 || std::all_of(list.begin(), list.end(), [&](std::uint32_t t) {
                       return around.inputs[t].size() == 1;
                   });
        });
    if (free_choice) return NetClass::free_choice;
    if (for_places_of_a_transition(around, [](const auto& a, const auto& b) { return a == b; }))
        return NetClass::extended_free_choice;
    const auto nested = [](const auto& a, const auto& b) { return includes(a, b) || includes(b, a); };
    return for_places_of_a_transition(around, nested) ? NetClass::asymmetric_choice : NetClass::ordinary;
}

std::vector<std::vector<TransitionId>> conflict_clusters(const Net& net) {
    const auto transitions = static_cast<std::uint32_t>(net.transitions().size());
    DisjointSets shares(transitions);
    const Surroundings around(net);
    for (const auto& consumers : around.consumers) {
        for (std::size_t i = 1; i < consumers.size(); ++i) shares.join(consumers[i - 1], consumers[i]);
    }
    std::vector<std::size_t> number(transitions);  // of roots, each the least of its cluster
    std::vector<std::vector<TransitionId>> clusters;
    for (std::uint32_t t = 0; t < transitions; ++t) {
        const std::uint32_t root = shares.root(t);
        if (root == t) {
            number[t] = clusters.size();
            clusters.emplace_back();
        }
        clusters[number[root]].push_back(TransitionId(t));
    }
    std::stable_sort(clusters.begin(), clusters.end(),
                     [](const auto& a, const auto& b) { return a.size() > b.size(); });
    return clusters;
}

Boundedness boundedness(const Net& net, const Invariants& p_invariants, const InvariantOptions& options) {
    Boundedness result;
    if (covers_places(net, p_invariants)) return {true, true};
    result.conservative = p_invariants.complete ? false : has_weighting(net, WeightedSum::stays);
    if (result.conservative == true) return {true, true};
    const Invariants sums = p_subinvariants(net, options);
    if (covers_places(net, sums)) {
        result.structurally_bounded = true;
    } else {
        result.structurally_bounded = sums.complete ? false : has_weighting(net, WeightedSum::never_grows);
    }
    return result;
}

}  // namespace warpnet
