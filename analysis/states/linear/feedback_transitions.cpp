// A cycle of markings is a T-semiflow of the state equation [Silva98]: x >= 0 with C x = 0. The program
// maximises the sum of x with C x = 0 and x[t] <= u[t]. Its dual finds weights w of places that minimise the
// sum of u[t] v[t] with (w C)[t] + v[t] >= 1: transitions with v = 0 increase the weighted sum of tokens by
// at least 1. The transitions that change it by 0 are the input of the next round, and those that decrease it
// are feedback transitions. So a cycle of the others changes the first sum by a number above 0, or fires only
// transitions of the next rounds.
//
// The violations v gather in the cheapest transition of a cycle if u differs. It is cheapest for a transition
// whose outputs are much nearer to the initial marking than its inputs, as at the end of a loop.
//
// Rejected: minimal T-semiflows and a hitting set, because there can be exponentially many.

#include "analysis/states/linear/feedback_transitions.hpp"

#include "analysis/states/linear/linear_program.hpp"
#include "engine/formula/formula.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace warpnet::states {
namespace {

/// Per place the fewest firings after which it can be marked if every transition needs only one of its
/// inputs.
std::vector<std::int64_t> distances(const CompiledNet& net) {
    const auto unmet = static_cast<std::int64_t>(net.place_count() + 1);
    std::vector<std::int64_t> distance(net.place_count(), unmet);
    for (std::size_t p = 0; p < net.place_count(); ++p)
        if (net.initial[p] > 0) distance[p] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t t = 0; t < net.transition_count(); ++t) {
            std::int64_t nearest = net.inputs[t].empty() ? 0 : unmet;
            for (const auto [place, weight] : net.inputs[t]) nearest = std::min(nearest, distance[place]);
            for (const auto [place, weight] : net.outputs[t]) {
                if (nearest + 1 >= distance[place]) continue;
                distance[place] = nearest + 1;
                changed = true;
            }
        }
    }
    return distance;
}

/// How much nearer to the initial marking the outputs of a transition are than its inputs.
std::int64_t way_back(const CompiledNet& net, const std::vector<std::int64_t>& distance, std::uint32_t t) {
    std::int64_t from = 0, to = static_cast<std::int64_t>(net.place_count() + 1);
    for (const auto [place, delta] : net.effects[t]) {
        if (delta < 0) from = std::max(from, distance[place]);
        if (delta > 0) to = std::min(to, distance[place]);
    }
    return std::max<std::int64_t>(from - to, 0);
}

/// Weights of the places, proposed by the linear program.
std::vector<std::int64_t> weights(const CompiledNet& net, const std::vector<std::uint32_t>& transitions,
                                  const std::vector<std::int64_t>& distance, const WorkLimits& limits) {
    LinearProgram program;
    for (std::size_t p = 0; p < net.place_count(); ++p) program.add_row(LinearProgram::Sense::equal, 0);
    std::int64_t total = 0;
    for (const std::uint32_t t : transitions) {
        const std::uint32_t column = program.add_column(1);
        for (const auto [place, delta] : net.effects[t]) program.add_entry(place, column, delta);
        const auto most = static_cast<std::int64_t>(2 * net.place_count() + 3) - way_back(net, distance, t);
        program.add_entry(program.add_row(LinearProgram::Sense::at_most, most), column, 1);
        total += most;
    }
    const CertifiedMaximum found = certified_maximum(program, total, limits);
    std::vector<std::int64_t> weights(net.place_count(), 0);
    if (found.status != BoundStatus::bounded) return weights;
    constexpr int scale_bits = 20;
    constexpr double most = 1e12;
    for (std::size_t p = 0; p < weights.size(); ++p) {
        const double weight = std::ldexp(found.prices[p], scale_bits);
        if (std::abs(weight) < most) weights[p] = std::llround(weight);
    }
    return weights;
}

}  // namespace

std::vector<bool> feedback_transitions(const CompiledNet& net, const WorkLimits& limits) {
    constexpr std::size_t most_arcs = 100'000;
    std::vector<bool> feedback(net.transition_count(), true);
    if (net.effects.all().size() > most_arcs) return feedback;
    const std::vector<std::int64_t> distance = distances(net);
    std::vector<std::uint32_t> open(net.transition_count());
    std::iota(open.begin(), open.end(), 0U);
    while (!open.empty()) {
        const std::vector<std::int64_t> weight = weights(net, open, distance, limits);
        std::vector<std::uint32_t> unchanged;
        bool found = false;
        for (const std::uint32_t t : open) {
            WideSum change = 0;
            for (const auto [place, delta] : net.effects[t]) change += WideSum{weight[place]} * delta;
            if (change == 0 && !net.effects[t].empty()) unchanged.push_back(t);
            if (change > 0) {
                feedback[t] = false;
                found = true;
            }
        }
        if (!found) break;
        open = std::move(unchanged);
    }
    return feedback;
}

}  // namespace warpnet::states
