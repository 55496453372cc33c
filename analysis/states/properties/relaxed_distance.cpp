// The additive heuristic of planning [Bonet01]: without the tokens that firings take, the cost of a
// transition is 1 and the sum of the costs of its needs, and the cost of a token in a place is that of the
// cheapest transition that adds one. Shortest paths [Dijkstra59] find all costs at once. Inhibitor arcs are
// ignored. What has no cost is unreachable also in the net, because firings that take tokens permit no more.
//
// The distance of conditions.hpp counts missing tokens, which says little where a token has a long way to go:
// all markings but the last few then look alike.

#include "analysis/states/properties/relaxed_distance.hpp"

#include <algorithm>

namespace warpnet::states {
namespace {

constexpr std::int64_t unreachable = std::int64_t{1} << 60;

std::int64_t added(std::int64_t a, std::int64_t b) { return std::min(a + b, unreachable); }

std::int64_t times(WideSum count, std::int64_t cost) {
    const WideSum product = count * cost;
    return product < unreachable ? static_cast<std::int64_t>(product) : unreachable;
}

}  // namespace

RelaxedDistance::RelaxedDistance(const CompiledNet& net)
    : net_(net), of_place_(net.place_count()), of_transition_(net.transition_count()) {
    const auto count = static_cast<std::uint32_t>(net.transition_count());
    needs_ = Rows<Need>::sorted(net.place_count(), [&](const auto& put) {
        for (std::uint32_t t = 0; t < count; ++t) {
            for (const auto [place, weight] : net.inputs[t]) put(place, Need{t, weight});
            for (const auto [place, weight] : net.reads[t]) put(place, Need{t, weight});
        }
    });
    lowered_by_ = Rows<std::uint32_t>::sorted(net.place_count(), [&](const auto& put) {
        for (std::uint32_t t = 0; t < count; ++t)
            for (const auto [place, delta] : net.effects[t])
                if (delta < 0) put(place, t);
    });
}

std::optional<std::int64_t> RelaxedDistance::operator()(const Formula& condition,
                                                        std::span<const Tokens> marking) {
    find_costs(marking);
    const std::int64_t cost = cost_of(condition, marking);
    return cost < unreachable ? std::optional(cost) : std::nullopt;
}

/// All needs of a transition have a cost.
void RelaxedDistance::reach(std::uint32_t transition) {
    for (const auto [place, delta] : net_.effects[transition]) {
        if (delta < 0 || of_place_[place] <= of_transition_[transition]) continue;
        of_place_[place] = of_transition_[transition];
        open_.emplace(of_place_[place], place);
    }
}

void RelaxedDistance::find_costs(std::span<const Tokens> marking) {
    const auto count = static_cast<std::uint32_t>(net_.transition_count());
    std::ranges::fill(of_place_, unreachable);
    unmet_.assign(count, 0);
    std::ranges::fill(of_transition_, 1);
    const auto missing = [&](const PlaceWeight& need) { return marking[need.place] < need.weight ? 1U : 0U; };
    for (std::uint32_t t = 0; t < count; ++t) {
        for (const PlaceWeight& need : net_.inputs[t]) unmet_[t] += missing(need);
        for (const PlaceWeight& need : net_.reads[t]) unmet_[t] += missing(need);
        if (unmet_[t] == 0) reach(t);
    }
    while (!open_.empty()) {
        const auto [cost, place] = open_.top();
        open_.pop();
        if (cost > of_place_[place]) continue;
        for (const auto [transition, tokens] : needs_[place]) {
            const Tokens more = tokens - marking[place];
            if (more <= 0) continue;
            of_transition_[transition] = added(of_transition_[transition], times(more, cost));
            if (--unmet_[transition] == 0) reach(transition);
        }
    }
    for (std::uint32_t t = 0; t < count; ++t)
        if (unmet_[t] > 0) of_transition_[t] = unreachable;
}

std::int64_t RelaxedDistance::cost_of(const LinearSum& sum, bool upwards, WideSum missing) const {
    std::int64_t least = unreachable;
    for (const LinearSum::Term& term : sum.tokens) {
        if (term.coefficient == 0) continue;
        std::int64_t cost = unreachable;
        if ((term.coefficient > 0) == upwards)
            cost = of_place_[term.node];
        else
            for (const std::uint32_t t : lowered_by_[term.node]) cost = std::min(cost, of_transition_[t]);
        const WideSum size = term.coefficient < 0 ? -WideSum{term.coefficient} : WideSum{term.coefficient};
        if (cost < unreachable) least = std::min(least, times((missing + size - 1) / size, cost));
    }
    return least;
}

std::int64_t RelaxedDistance::cost_of(const Formula& condition, std::span<const Tokens> marking) const {
    switch (condition.kind) {
        case Formula::Kind::constant:
            return condition.value ? 0 : unreachable;
        case Formula::Kind::conjunction: {
            std::int64_t sum = 0;
            for (const Formula& operand : condition.operands) sum = added(sum, cost_of(operand, marking));
            return sum;
        }
        case Formula::Kind::disjunction: {
            std::int64_t least = unreachable;
            for (const Formula& operand : condition.operands)
                least = std::min(least, cost_of(operand, marking));
            return least;
        }
        default:
            break;
    }
    const WideSum value = value_of(condition.sum, [&](std::uint32_t place) { return marking[place]; });
    if (compares(value, condition.relation)) return 0;
    switch (condition.relation) {
        case Relation::greater:
            return cost_of(condition.sum, true, 1 - value);
        case Relation::greater_equal:
            return cost_of(condition.sum, true, -value);
        case Relation::less:
            return cost_of(condition.sum, false, value + 1);
        case Relation::less_equal:
            return cost_of(condition.sum, false, value);
        case Relation::equal:
            return cost_of(condition.sum, value < 0, value < 0 ? -value : value);
        default:
            return std::min(cost_of(condition.sum, true, 1), cost_of(condition.sum, false, 1));
    }
}

}  // namespace warpnet::states
