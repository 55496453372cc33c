// The class of a net, its conflict clusters, and whether it is conservative or structurally bounded. Classes
// [Murata89] and clusters follow from the arcs.
//
// Conservative means that some positive weighting of all places never changes; structurally bounded means
// that one never grows. Invariants that cover all places prove it. If they are missing or incomplete, a
// linear program looks for such weights, and a second one for firing counts that refute them (Stiemke's
// lemma). Both answers are vertices in floating point. Their multiples are rounded and verified in whole
// numbers, so no solver has to be trusted, and an unverified answer is no answer.

#include "analysis/states/structure/net_class.hpp"

#include "analysis/states/linear/glpk_problem.hpp"
#include "analysis/states/linear/invariants.hpp"
#include "engine/base/disjoint_sets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace warpnet::states {

namespace {

using Matrix = std::vector<SparseRow>;

/// x M per row of the transposed matrix; nothing if a number leaves the range.
std::optional<std::vector<Tokens>> products(const Matrix& rows, const std::vector<Tokens>& x) {
    std::vector<Tokens> result;
    result.reserve(rows.size());
    for (const SparseRow& row : rows) {
        Tokens sum = 0;
        for (const SparseEntry& entry : row) {
            Tokens term = 0;
            if (__builtin_mul_overflow(entry.value, x[entry.at], &term) ||
                __builtin_add_overflow(sum, term, &sum))
                return std::nullopt;
        }
        result.push_back(sum);
    }
    return result;
}

/// Calls accept(x) with whole multiples of a vertex until one is accepted: its denominators are mostly small.
template <class Accept>
bool some_multiple(const std::vector<double>& vertex, Accept&& accept) {
    constexpr int most = 2520;
    for (int factor = 1; factor <= most; ++factor) {
        std::vector<Tokens> whole;
        for (const double value : vertex) {
            const double scaled = value * factor;
            if (std::abs(scaled) > 1e12 || std::abs(scaled - std::round(scaled)) > 1e-6) break;
            whole.push_back(std::llround(scaled));
        }
        if (whole.size() == vertex.size() && accept(whole)) return true;
    }
    return false;
}

/// The columns of an optimal vertex: minimise or maximise objective * x under low <= x <= high and for each
/// row M x = 0, or M x on the side of 0 that `kind` names. Nothing if there is no such vertex.
std::optional<std::vector<double>> vertex_of(const Matrix& rows, std::size_t columns, int kind, double low,
                                             double high, const std::vector<double>& objective,
                                             const WorkLimits& limits) {
    constexpr int most_iterations = 200'000;
    const GlpkProblem problem = make_glpk_problem();
    glp_set_obj_dir(problem.get(), GLP_MAX);
    if (rows.empty() || columns == 0) return std::nullopt;
    glp_add_rows(problem.get(), static_cast<int>(rows.size()));
    glp_add_cols(problem.get(), static_cast<int>(columns));
    for (std::size_t c = 0; c < columns; ++c) {
        glp_set_col_bnds(problem.get(), static_cast<int>(c) + 1, std::isinf(high) ? GLP_LO : GLP_DB, low,
                         high);
        glp_set_obj_coef(problem.get(), static_cast<int>(c) + 1, objective[c]);
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
        std::vector<int> at = {0};
        std::vector<double> values = {0};
        for (const SparseEntry& entry : rows[r]) {
            at.push_back(static_cast<int>(entry.at) + 1);
            values.push_back(static_cast<double>(entry.value));
        }
        glp_set_row_bnds(problem.get(), static_cast<int>(r) + 1, kind, 0, 0);
        glp_set_mat_row(problem.get(), static_cast<int>(r) + 1, static_cast<int>(at.size()) - 1, at.data(),
                        values.data());
    }
    glp_adv_basis(problem.get(), 0);
    glp_smcp parameters;
    glp_init_smcp(&parameters);
    parameters.msg_lev = GLP_MSG_OFF;
    parameters.it_lim = most_iterations;
    if (simplex_in_slices(*problem, parameters, limits) != 0 || glp_get_status(problem.get()) != GLP_OPT)
        return std::nullopt;
    std::vector<double> vertex;
    for (std::size_t c = 0; c < columns; ++c)
        vertex.push_back(glp_get_col_prim(problem.get(), static_cast<int>(c) + 1));
    return vertex;
}

}  // namespace

std::optional<bool> has_weighting(const Net& net, WeightedSum sum, const WorkLimits& limits) {
    const std::size_t places = net.places().size(), transitions = net.transitions().size();
    const Matrix by_place = incidence_matrix(net), by_transition = transposed(by_place, transitions);
    const bool stays = sum == WeightedSum::stays;
    const auto proves_yes = [&](const std::vector<Tokens>& y) {
        if (std::any_of(y.begin(), y.end(), [](Tokens weight) { return weight < 1; })) return false;
        const auto effects = products(by_transition, y);
        return effects && std::all_of(effects->begin(), effects->end(),
                                      [&](Tokens effect) { return stays ? effect == 0 : effect <= 0; });
    };
    const auto proves_no = [&](const std::vector<Tokens>& x) {
        if (!stays && std::any_of(x.begin(), x.end(), [](Tokens count) { return count < 0; })) return false;
        const auto changes = products(by_place, x);
        return changes && std::all_of(changes->begin(), changes->end(), [](Tokens c) { return c >= 0; }) &&
               std::any_of(changes->begin(), changes->end(), [](Tokens c) { return c > 0; });
    };
    if (proves_yes(std::vector<Tokens>(places, 1))) return true;
    const double infinite = std::numeric_limits<double>::infinity();
    if (const auto y = vertex_of(by_transition, places, stays ? GLP_FX : GLP_UP, 1, infinite,
                                 std::vector<double>(places, -1), limits);
        y && some_multiple(*y, proves_yes))
        return true;
    std::vector<double> gain(transitions, 0);
    for (const SparseRow& row : by_place)
        for (const SparseEntry& entry : row) gain[entry.at] += static_cast<double>(entry.value);
    if (const auto x = vertex_of(by_place, transitions, GLP_LO, stays ? -1 : 0, 1, gain, limits);
        x && some_multiple(*x, proves_no))
        return false;
    return std::nullopt;
}

namespace {

/// The transitions before and after each place and the places before and after each transition, by ascending
/// index.
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

Boundedness boundedness(const Net& net, const Invariants& p_invariants, const InvariantOptions& options,
                        const WorkLimits& limits) {
    Boundedness result;
    if (covers_places(net, p_invariants)) return {true, true};
    result.conservative = p_invariants.complete ? false : has_weighting(net, WeightedSum::stays, limits);
    if (result.conservative == true) return {true, true};
    const Invariants sums = p_subinvariants(net, options);
    if (covers_places(net, sums)) {
        result.structurally_bounded = true;
    } else {
        result.structurally_bounded =
            sums.complete ? false : has_weighting(net, WeightedSum::never_grows, limits);
    }
    return result;
}

}  // namespace warpnet::states
