#include "engine/general/simple_steps.hpp"

#include "engine/base/bits.hpp"

#include <algorithm>

namespace warpnet {

namespace {

/// Whether the places of each cell come after those of the cells before it, so that conflicts within cells
/// are in the order of their places where cells are gone through.
bool are_in_order(const Cells& cells) {
    for (std::uint32_t cell = 1; cell < cells.size(); ++cell) {
        if (cells.places(cell - 1).back() > cells.places(cell).front()) return false;
    }
    return true;
}

}  // namespace

SimpleSteps::SimpleSteps(const CompiledNet& net, const GeneralNet& general, RunState& state,
                         ConflictOrder& order)
    : net_(net),
      state_(state),
      order_(order),
      usable_(!state.cells().empty() && general.cells.all_effective && are_in_order(general.cells)) {
    if (usable_) listed_.resize(net.transition_count());
}

bool SimpleSteps::make(std::uint64_t last) {
    CounterRandom random = order_.random();
    while (state_.now() < last) {
        if (!choose(random)) break;
        const std::uint64_t due = state_.next_due();
        std::uint64_t step = state_.now() + 1;
        if (due != step && changes_nothing()) {
            if (due == RunningDelays::nothing_due) break;
            step = std::min(due, last);
        }
        firings_ += chosen_ * (step - state_.now());
        state_.advance_to(step);
        if (due == step && !state_.end_delays()) return false;
        if (!state_.fire({listed_.data(), listed_count_})) return false;
    }
    order_.random() = random;
    return true;
}

/// False, and nothing drawn, where the next step is not simple.
bool SimpleSteps::choose(CounterRandom& random) {
    chosen_ = listed_count_ = 0;
    state_.cells().forget_fired();
    if (!state_.candidates().over_rows().empty() || !choose_groups()) return false;
    const CounterRandom undrawn = random;
    if (!act(random)) {
        random = undrawn;
        return false;
    }
    if (contested_ != no_group) draw(random);
    return true;
}

/// Candidates for hubs fire or stand in the one group that competes. False where there are several.
bool SimpleSteps::choose_groups() {
    contested_ = no_group;
    bool simple = true;
    CandidateSets& candidates = state_.candidates().sets();
    for (std::size_t word = 0; word * 64 < net_.groups.size(); ++word) {
        for_each_bit(candidates.occupied(word), [&](std::uint32_t bit) {
            const std::uint32_t group = static_cast<std::uint32_t>(word * 64) + bit;
            const std::uint32_t count = candidates.count(group);
            bool over = false;
            Tokens served = count;
            for (const auto [hub, weight] : net_.groups[group].demands) {
                if (!state_.candidates().is_over(hub)) continue;
                over = true;
                served = std::min(served, state_.marking()[hub] / weight);
            }
            if (!over) {
                candidates.for_each(group,
                                    [&](std::uint32_t slot) { add(net_.groups[group].members[slot]); });
            } else if (served > 0) {
                simple = simple && contested_ == no_group;
                contested_ = group;
                served_ = static_cast<std::uint32_t>(served);
            }
        });
    }
    return simple;
}

/// What happens in cells without hubs. False where that is not simple somewhere.
bool SimpleSteps::act(CounterRandom& random) {
    bool simple = true;
    RunningCells& cells = state_.cells();
    std::uint64_t firings = 0;
    cells.for_each_acting([&](std::uint32_t cell, const CellState& state) {
        if (!simple) return;
        simple = state.choices != 0;
        if (!simple) return;
        const CellMove* const move =
            cells.states().own_move(state, state.choices == 1 ? 0 : random.below(state.choices));
        simple = move != nullptr;
        if (!simple) return;
        cells.add_move(cell, *move);
        firings += move->firings;
    });
    chosen_ += firings;
    return simple;
}

void SimpleSteps::draw(CounterRandom& random) {
    const std::uint32_t* const members = net_.groups[contested_].members.data();
    state_.candidates().sets().draw(
        contested_, served_, [&random](std::uint32_t count) { return random.below(count); },
        [this, members](std::uint32_t slot) { add(members[slot]); });
}

void SimpleSteps::add(std::uint32_t transition) {
    ++chosen_;
    if (!state_.cells().add_fired(transition)) listed_[listed_count_++] = {transition, 1};
}

/// Whether the step at hand was the only one possible and leaves the marking as it is.
bool SimpleSteps::changes_nothing() const {
    return contested_ == no_group && state_.cells().moving().empty() &&
           std::all_of(listed_.data(), listed_.data() + listed_count_,
                       [&](const Firing& firing) { return net_.effects[firing.transition].empty(); });
}

}  // namespace warpnet
