// The number of times that a period is certain to repeat. During one period a drifting place changes by a
// fixed amount, and its tokens stay within an excursion around the initial value of the period. All
// transitions judge the place alike as long as its tokens remain in a region between two neighbouring arc
// weights. So the number of certain periods is a division per drifting place, and the minimum over these
// places.

#include "engine/executors/pivots/recurrence.hpp"

namespace warpnet {

namespace {

/// Bounds on the tokens taken from and given to a place during a period.
struct Excursion {
    Tokens taken = 0, given = 0;
};

/// Token counts from `least` to `most`, which no transition distinguishes.
struct Region {
    Tokens least = 0, most = max_tokens;
};

/// The region that contains a token count of a place. O(arcs).
Region region_of(const CompiledNet& net, std::uint32_t place, Tokens tokens) {
    Region region;
    const auto narrow = [&](const Rows<PlaceWeight>& arcs) {
        for (const PlaceWeight arc : arcs.all()) {
            if (arc.place != place) continue;
            if (arc.weight <= tokens) {
                region.least = std::max<Tokens>(region.least, arc.weight);
            } else {
                region.most = std::min<Tokens>(region.most, arc.weight - 1);
            }
        }
    };
    narrow(net.inputs);
    narrow(net.reads);
    narrow(net.inhibitors);
    return region;
}

Tokens tokens_on(std::span<const PlaceWeight> arcs, std::uint32_t place) {
    Tokens sum = 0;
    for (const PlaceWeight arc : arcs) sum += arc.place == place ? arc.weight : 0;
    return sum;
}

/// The number of times that a token count can change by `change` without leaving a region, with an excursion
/// before each change.
std::uint64_t times_within(const Region& region, Tokens tokens, Tokens change, const Excursion& excursion) {
    const Tokens below = tokens - excursion.taken - region.least;
    const Tokens above = region.most - excursion.given - tokens;
    if (below < 0 || above < 0) return 0;
    return static_cast<std::uint64_t>(change < 0 ? below / -change : above / change) + 1;
}

}  // namespace

Recurrence::Recurrence(const CompiledNet& net, const PivotNet& pivots)
    : net_(net), pivots_(pivots), cost_((net.place_count() + net.transition_count()) / 8 + 8) {}

void Recurrence::copy(const PivotState& state) {
    if (earlier_ == nullptr) earlier_ = std::make_unique<PivotState>(net_, pivots_, nullptr);
    earlier_->assign(state);
    credit_ -= std::min(credit_, 4 * cost_);
}

std::uint64_t Recurrence::look(const PivotState& state, const Progress& progress, std::uint64_t most_steps) {
    if (stage_ == Stage::waiting) {
        copy(state);
        stage_ = Stage::comparing;
        until_ = state.now() + undisturbed_;
        return 0;
    }
    credit_ -= std::min(credit_, cost_);
    found_drifts_.clear();
    const bool repeats = state.repeats(*earlier_, most_drifts, found_drifts_);
    if (stage_ == Stage::comparing) {
        if (repeats) {
            period_ = state.now() - earlier_->now();
            copy(state);
            begin_ = progress;
            fired_.assign(net_.transition_count(), 0);
            drifts_ = found_drifts_;
            stage_ = Stage::measuring;
        } else if (state.now() >= until_) {
            stage_ = Stage::waiting;
        }
        return 0;
    }
    stage_ = Stage::waiting;
    if (state.now() != earlier_->now() + period_ || !repeats || found_drifts_ != drifts_) return 0;
    return std::min(certain_periods(state), most_steps / period_);
}

std::uint64_t Recurrence::certain_periods(const PivotState& state) const {
    std::uint64_t certain = ~std::uint64_t{0};
    for (const auto [place, change] : drifts_) {
        Excursion excursion;
        for (std::uint32_t t = 0; t < net_.transition_count(); ++t) {
            if (fired_[t] == 0) continue;
            excursion.taken += Tokens{fired_[t]} * tokens_on(net_.inputs[t], place);
            excursion.given += Tokens{fired_[t]} * tokens_on(net_.outputs[t], place);
        }
        const Tokens tokens = state.tokens(place);
        const Region region = region_of(net_, place, tokens);
        // The measured period must have stayed within the region, too.
        if (times_within(region, tokens - change, change, excursion) == 0) return 0;
        certain = std::min(certain, times_within(region, tokens, change, excursion));
    }
    return certain;
}

}  // namespace warpnet
