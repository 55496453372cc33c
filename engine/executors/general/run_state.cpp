// Each transition has a counter of its unmet conditions. A place that becomes empty or marked updates only
// the transitions that depend on it, so a firing costs the conditions that it changes. The input and output
// of a self-loop cancel at compile time.
//
// Two ideas were tried and removed (docs/internals/performance.md). Cells are connected parts of at most 64
// transitions whose states are remembered during a run. They were 1.06 times as fast in the geometric mean on
// the nets that reach this executor. The second idea sums up changes of unmet conditions per transition
// beforehand, for places that seem to hold at most one token. It was 0.84 to 1.16 times as fast on nets of
// the family `sm`.

#include "engine/executors/general/run_state.hpp"

#include <algorithm>

namespace warpnet {

RunState::RunState(const CompiledNet& net, const GeneralNet& general, ConflictOrder& order, bool skips_delays)
    : net_(net),
      order_(order),
      marking_(net.initial),
      kind_(net.place_count(), 0),
      candidates_(net, marking_.data(), general.rivals,
                  std::max<std::size_t>(general.rival_groups.size(), 1)),
      delays_(net, skips_delays) {
    std::vector<std::uint32_t> always;  // take from hubs only, or from no place: always candidates
    for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
        if (candidates_.contains(t)) always.push_back(t);
    }
    for (std::uint32_t place = 0; place < net.place_count(); ++place) {
        if (!net.watches[place].empty()) kind_[place] = is_binary(net.watches[place]) ? watched : graded;
        if (candidates_.is_contestable(place)) kind_[place] |= contestable;
    }
    if (!delays_.empty()) begin_delays();
    for (std::uint32_t place = 0; place < net.place_count(); ++place) {
        if ((kind_[place] & asleep) == 0) start_watching(place);
    }
    for (const std::uint32_t t : always) candidates_.enter_if_met(t);
}

void RunState::begin_delays() {
    for (std::uint32_t g = 0; g < delays_.size(); ++g) {
        const DelayGadget& gadget = net_.gadgets[g];
        // This extra condition keeps them from being candidates while the gadget is skipped. wake() removes
        // it.
        for (const std::uint32_t t : {gadget.tick, gadget.done})
            candidates_.recount(t, candidates_.unmet(t) + 1);
        for (const std::uint32_t place : {gadget.wait, gadget.timer}) kind_[place] |= asleep;
    }
    delays_.start_initial(marking_);
}

/// Counts the conditions on a place that hold. They all counted as unmet before.
void RunState::start_watching(std::uint32_t place) {
    for (const auto [transition, threshold] : net_.watches[place]) {
        if (meets(marking_[place], threshold)) candidates_.condition_met(transition);
    }
}

// --- firing

inline bool RunState::apply(std::uint32_t transition) {
    for (const Effect& effect : net_.effects[transition]) {
        if (!change(effect.place, effect.delta)) return false;
    }
    return true;
}

bool RunState::apply(std::uint32_t transition, Tokens times) {
    for (const Effect& effect : net_.effects[transition]) {
        Tokens delta = 0;
        if (__builtin_mul_overflow(Tokens{effect.delta}, times, &delta) || !change(effect.place, delta))
            return false;
    }
    return true;
}

/// Applies the firing that ends a gadget, except for the places of the gadget.
bool RunState::apply_done(const DelayGadget& gadget) {
    const auto effects = net_.effects[gadget.done];
    return std::all_of(effects.begin(), effects.end(), [&](Effect effect) {
        return effect.place == gadget.wait || effect.place == gadget.timer ||
               change(effect.place, effect.delta);
    });
}

bool RunState::fire(std::span<const Firing> step) {
    return std::all_of(step.begin(), step.end(), [&](const Firing& firing) {
        return firing.times == 1 ? apply(firing.transition) : apply(firing.transition, firing.times);
    });
}

// --- places

/// Updates the conditions on a place after its tokens have changed.
void RunState::change_watched(std::uint32_t place, Tokens before) {
    const std::uint8_t kind = kind_[place];
    const Tokens after = marking_[place];
    if ((kind & asleep) != 0) {
        token_enters(place);
    } else if ((kind & graded) != 0) {
        for (const auto [transition, threshold] : net_.watches[place]) {
            const bool met = meets(after, threshold);
            if (meets(before, threshold) != met) candidates_.turn_condition(transition, met);
        }
    } else if (before == 0 || after == 0) {
        for (const auto [transition, threshold] : net_.watches[place])
            candidates_.turn_condition(transition, (threshold > 0) == (before == 0));
    }
    if ((kind & contestable) != 0) candidates_.note_demand(place);
}

// --- delays

void RunState::token_enters(std::uint32_t place) {
    const std::uint32_t g = delays_.at(place);
    if (g == delays_.size()) return;  // the place is a timer
    if (!delays_.enter(g, marking_[place], now_)) wake(g);
}

bool RunState::end_delays() {
    const auto ended = delays_.end_due(now_);
    // All gadgets stop before their tokens arrive, because a token may arrive in another gadget that ends in
    // this step.
    for (const std::uint32_t g : ended) {
        const DelayGadget& gadget = net_.gadgets[g];
        if (marking_[gadget.timer] > 0) order_.note_tick(gadget.tick, true);
        order_.note_fired(gadget.done);
        delays_.reset(g, marking_[gadget.wait], marking_[gadget.timer]);
    }
    return std::all_of(ended.begin(), ended.end(),
                       [&](std::uint32_t g) { return apply_done(net_.gadgets[g]); });
}

/// Moves the tokens of a running gadget to their places after step now().
void RunState::settle_gadget(std::uint32_t g) {
    const DelayGadget& gadget = net_.gadgets[g];
    const std::uint64_t ticks = delays_.settle(g, now_, marking_[gadget.wait], marking_[gadget.timer]);
    if (ticks > 0) order_.note_tick(gadget.tick, false);
}

void RunState::wake(std::uint32_t g) {
    const DelayGadget& gadget = net_.gadgets[g];
    if (delays_.is_running(g)) {
        settle_gadget(g);
        delays_.stop(g);
    }
    for (const std::uint32_t place : {gadget.wait, gadget.timer}) {
        kind_[place] &= static_cast<std::uint8_t>(~asleep);
        start_watching(place);
        if ((kind_[place] & contestable) != 0) candidates_.note_demand(place);
    }
    candidates_.condition_met(gadget.tick);
    candidates_.condition_met(gadget.done);
}

void RunState::settle() {
    for (std::uint32_t g = 0; g < delays_.size(); ++g) {
        if (delays_.is_running(g)) settle_gadget(g);
    }
}

}  // namespace warpnet
