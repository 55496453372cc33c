#include "engine/executors/general/simple_steps.hpp"

#include "engine/base/bits.hpp"

#include <algorithm>
#include <bit>

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
      group_words_((net.groups.size() + 63) / 64),
      usable_(is_timed(net) && !state.cells().empty() && general.cells.all_effective &&
              are_in_order(general.cells)) {
    if (usable_) listed_.resize(net.transition_count());
}

inline void SimpleSteps::add(std::uint32_t transition) {
    ++chosen_;
    if (!state_.cells().add_fired(transition)) listed_[listed_count_++] = {transition, 1};
}

void SimpleSteps::add_group(std::uint32_t group) {
    const std::uint32_t* const members = net_.groups[group].members.data();
    state_.candidates().sets().for_each(group, [&](std::uint32_t slot) { add(members[slot]); });
}

/// Candidates for hubs fire or stand in the one group that competes. False where there are several.
inline bool SimpleSteps::choose_groups() {
    std::uint32_t contested = no_group;
    const CandidateSets& candidates = state_.candidates().sets();
    for (std::size_t word = 0; word < group_words_; ++word) {
        for (std::uint64_t rest = candidates.occupied(word); rest != 0; rest &= rest - 1) {
            const std::uint32_t group =
                static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(rest));
            const std::uint32_t count = candidates.count(group);
            bool over = false;
            Tokens served = count;
            for (const auto [hub, weight] : net_.groups[group].demands) {
                if (!state_.candidates().is_over(hub)) continue;
                const Tokens tokens = state_.marking()[hub];
                over = true;
                served = std::min(served, weight == 1 ? tokens : tokens / weight);
            }
            if (!over) {
                add_group(group);
            } else if (served > 0) {
                if (contested != no_group) return false;
                contested = group;
                served_ = static_cast<std::uint32_t>(served);
            }
        }
    }
    contested_ = contested;
    return true;
}

/// What happens in cells without hubs. False where that is not simple somewhere.
inline bool SimpleSteps::act(CounterRandom& random_of_run) {
    CounterRandom random = random_of_run;
    RunningCells& cells = state_.cells();
    std::uint64_t firings = 0;
    for (std::uint32_t word = 0; word < cells.words(); ++word) {
        for (std::uint64_t rest = cells.acting(word); rest != 0; rest &= rest - 1) {
            const std::uint32_t cell = word * 64 + static_cast<std::uint32_t>(std::countr_zero(rest));
            const CellState& state = *cells.state(cell);
            if (state.choices == 0) return false;
            const std::uint32_t choice = state.choices == 1 ? 0 : random.below(state.choices);
            const CellMove* const move = cells.states().own_move(state, choice);
            if (move == nullptr) return false;
            cells.add_move(cell, *move);
            firings += move->firings;
        }
    }
    random_of_run = random;
    chosen_ += firings;
    return true;
}

inline void SimpleSteps::draw(CounterRandom& random) {
    const std::uint32_t* const members = net_.groups[contested_].members.data();
    state_.candidates().sets().draw(
        contested_, served_, [&random](std::uint32_t count) { return random.below(count); },
        [this, members](std::uint32_t slot) { add(members[slot]); });
}

/// Whether the step at hand was the only one possible and leaves the marking as it is.
inline bool SimpleSteps::changes_nothing() const {
    return contested_ == no_group && state_.cells().moving().empty() &&
           std::all_of(listed_.data(), listed_.data() + listed_count_,
                       [&](const Firing& firing) { return net_.effects[firing.transition].empty(); });
}

/// False, and nothing drawn, where the next step is not simple.
inline bool SimpleSteps::choose(CounterRandom& random) {
    chosen_ = listed_count_ = 0;
    state_.cells().forget_fired();
    if (state_.candidates().some_place_is_over() || !choose_groups()) return false;
    if (!act(random)) return false;
    if (contested_ != no_group) draw(random);
    return true;
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

}  // namespace warpnet
