// Multiset steps. The firings of a step follow one another: the policy picks a competitor that still fits, it
// fires once, and competitors that no longer fit are removed. Most candidates have no competitor. They fire
// as often as their tokens allow in one operation, so only conflicts cost one draw per firing.

#include "engine/executors/general/multiset_choice.hpp"

#include "engine/run/executor.hpp"

#include <algorithm>
#include <utility>

namespace warpnet {

void MultisetChoice::find_candidates(std::span<const PriorityLevel> priority_levels) {
    contested_.clear();
    for (const PriorityLevel& priority_level : priority_levels) {
        for (const std::uint32_t group : priority_level.groups) {
            if (!state_.serves(net_.groups[group].demands)) continue;
            state_.candidates().sets().for_each(
                group, [&](std::uint32_t slot) { contested_.push_back(net_.groups[group].members[slot]); });
        }
    }
    residual_.resize(net_.place_count());
    for (const std::uint32_t t : contested_) {
        for (const auto [place, weight] : net_.inputs[t]) residual_[place] = state_.marking()[place];
    }
}

bool MultisetChoice::choose(std::span<const PriorityLevel> priority_levels, FiringList& firings) {
    find_candidates(priority_levels);
    if (!order_.numbers_draws()) fire_uncontested(firings);
    if (contested_.empty()) return true;
    std::sort(contested_.begin(), contested_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(net_.priority_level(a), a) < std::pair(net_.priority_level(b), b);
    });
    for (auto begin = contested_.begin(); begin != contested_.end();) {
        const auto end = std::find_if(begin, contested_.end(), [&](std::uint32_t t) {
            return net_.priority_level(t) != net_.priority_level(*begin);
        });
        fire_contested({begin, end}, firings);
        begin = end;
    }
    return false;
}

/// Fires the candidates that share no input place with another competitor as often as their tokens allow, and
/// removes them from the list.
void MultisetChoice::fire_uncontested(FiringList& firings) {
    const auto for_shared = [&](std::uint32_t t, auto visit) {
        for (const PlaceWeight input : net_.shared_inputs(t)) visit(takers_[input.place]);
    };
    takers_.resize(net_.place_count(), 0);
    for (const std::uint32_t t : contested_) for_shared(t, [](std::uint32_t& takers) { ++takers; });
    const std::vector<std::uint32_t> all = contested_;
    std::erase_if(contested_, [&](std::uint32_t t) {
        bool alone = true;
        for_shared(t, [&](std::uint32_t takers) { alone = alone && takers == 1; });
        if (!alone) return false;
        Tokens times = max_tokens;
        for (const auto [place, weight] : net_.inputs[t])
            times = std::min(times, state_.marking()[place] / weight);
        firings.add(t, times);
        return true;
    });
    for (const std::uint32_t t : all) for_shared(t, [](std::uint32_t& takers) { takers = 0; });
}

/// Fires one competitor at a time. The policy chooses it among those that still fit.
void MultisetChoice::fire_contested(std::span<std::uint32_t> competitors, FiringList& firings) {
    std::vector<std::uint32_t> fitting(competitors.begin(), competitors.end());
    const std::size_t first_new = firings.all().size();
    for (const std::uint32_t t : fitting) firings.add(t, 0);
    for (;;) {
        std::erase_if(fitting, [&](std::uint32_t t) {
            const auto inputs = net_.inputs[t];
            return std::any_of(inputs.begin(), inputs.end(),
                               [&](PlaceWeight in) { return residual_[in.place] < in.weight; });
        });
        if (fitting.empty()) break;
        if (++firings_ % firings_between_looks == 0 && limits_ != nullptr && limits_->must_end()) {
            left_unfinished_ = true;
            break;
        }
        const std::uint32_t t = fitting[order_.pick(fitting)];
        for (const auto [place, weight] : net_.inputs[t]) residual_[place] -= weight;
        const auto at = std::lower_bound(competitors.begin(), competitors.end(), t) - competitors.begin();
        ++firings.all()[first_new + static_cast<std::size_t>(at)].times;
    }
    firings.drop_those_without_times();
}

}  // namespace warpnet
