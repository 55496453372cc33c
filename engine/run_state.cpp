#include "engine/run_state.hpp"

#include <algorithm>

namespace warpnet {

RunState::RunState(const CompiledNet& net, ConflictOrder& order, bool skip_delays)
    : net_(net),
      effects_(net.effects.all().data()),
      first_effect_(net.effects.firsts().data()),
      flips_(net.flips.data()),
      turns_(net.turns.all().data()),
      first_turn_(net.turns.firsts().data()),
      seats_(net.seats.data()),
      inputs_(net.inputs.all().data()),
      first_input_(net.inputs.firsts().data()),
      shared_(net.shared.data()),
      order_(order),
      marking_(net.initial),
      unmet_(net.transition_count(), 0),
      candidates_(net),
      demand_(net.place_count(), 0),
      kind_(net.place_count(), 0),
      calendar_(skip_delays ? net.gadgets.size() : 0),
      delays_(skip_delays ? net.gadgets.size() : 0) {
    for (const Watch& watch : net.watches.all()) ++unmet_[watch.transition];
    std::vector<std::uint32_t> always;  // take from hubs alone, or from nowhere: candidates for good
    for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
        if (unmet_[t] == 0) always.push_back(t);
    }
    for (const DelayGadget& gadget : net.gadgets) {
        if (!skip_delays) break;
        // Never a candidate while the gadget is skipped; wake() takes this extra condition back.
        ++unmet_[gadget.tick];
        ++unmet_[gadget.done];
        kind_[gadget.wait] = kind_[gadget.timer] = asleep;
    }
    for (std::uint32_t place = 0; place < net.place_count(); ++place) {
        if (!net.watches[place].empty()) kind_[place] |= is_binary(net.watches[place]) ? watched : graded;
    }
    for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
        for (const PlaceWeight input : net.shared_inputs(t)) {
            if (net.hub[input.place] == 0) kind_[input.place] |= contestable;
        }
    }
    for (std::uint32_t place = 0; place < net.place_count(); ++place) {
        if ((kind_[place] & asleep) == 0) start_watching(place);
    }
    for (const std::uint32_t t : always) {
        unmet_[t] = 1;
        condition_met(t);
    }
    for (std::uint32_t g = 0; g < delays_.size(); ++g) {
        const DelayGadget& gadget = net.gadgets[g];
        if (marking_[gadget.wait] == 0) continue;
        delays_[g].due = static_cast<std::uint64_t>(marking_[gadget.timer]) + 1;
        calendar_.schedule(g, delays_[g].due, 0);
    }
}

/// Counts the conditions on a place that its tokens meet; `unmet_` holds all of them as unmet before.
void RunState::start_watching(std::uint32_t place) {
    for (const auto [transition, threshold] : net_.watches[place]) {
        const bool met = threshold > 0 ? marking_[place] >= threshold : marking_[place] < -Tokens{threshold};
        if (met) condition_met(transition);
    }
}

bool RunState::apply_singly(std::span<const Effect> effects) {
    return std::all_of(effects.begin(), effects.end(),
                       [&](Effect effect) { return change(effect.place, effect.delta); });
}

bool RunState::apply(std::uint32_t transition, Tokens times) {
    for (const Effect& effect : net_.effects[transition]) {
        Tokens delta = 0;
        if (__builtin_mul_overflow(Tokens{effect.delta}, times, &delta) || !change(effect.place, delta))
            return false;
    }
    return true;
}

/// Takes places out of over_ that are not over any more.
void RunState::drop_served() {
    std::erase_if(over_, [&](std::uint32_t place) {
        if (is_over(place)) return false;
        kind_[place] &= static_cast<std::uint8_t>(~listed);
        return true;
    });
}

/// The conditions on a place that is graded, or the tokens of a gadget.
void RunState::change_special(std::uint32_t place, Tokens before) {
    const Tokens after = marking_[place];
    if ((kind_[place] & asleep) != 0) {
        token_enters(place);
        return;
    }
    for (const auto [transition, threshold] : net_.watches[place]) {
        const Tokens level = threshold > 0 ? threshold : -Tokens{threshold};
        const bool reached = after >= level;
        if ((before >= level) == reached) continue;
        if ((threshold > 0) == reached) {
            condition_met(transition);
        } else {
            condition_lost(transition);
        }
    }
}

void RunState::token_enters(std::uint32_t place) {
    const auto gadget =
        std::lower_bound(net_.gadgets.begin(), net_.gadgets.end(), place,
                         [](const DelayGadget& one, std::uint32_t wait) { return one.wait < wait; });
    if (gadget == net_.gadgets.end() || gadget->wait != place) return;  // it is a timer
    const auto g = static_cast<std::uint32_t>(gadget - net_.gadgets.begin());
    Delay& delay = delays_[g];
    if (delay.due != 0 || marking_[place] != 1) {
        wake(g);
        return;
    }
    delay.started = now_;
    delay.due = now_ + static_cast<std::uint64_t>(net_.gadgets[g].length);
    calendar_.schedule(g, delay.due, now_);
}

void RunState::count_delay(const DelayGadget& gadget, std::uint64_t ticks, std::uint64_t ends) {
    delay_firings_ += ticks + ends;
    if (counts_ == nullptr) return;
    (*counts_)[gadget.tick] += ticks;
    (*counts_)[gadget.done] += ends;
}

bool RunState::end_delays() {
    ended_.clear();
    calendar_.take_due(now_, ended_);
    // First all of them stop, then their tokens arrive: one may arrive in another that ends in this step too.
    for (const std::uint32_t g : ended_) {
        const DelayGadget& gadget = net_.gadgets[g];
        count_delay(gadget, static_cast<std::uint64_t>(marking_[gadget.timer]), 1);
        if (marking_[gadget.timer] > 0) order_.note_tick(gadget.tick, true);
        order_.note_fired(gadget.done);
        marking_[gadget.wait] = 0;
        marking_[gadget.timer] = gadget.length - 1;
        delays_[g].due = 0;
    }
    for (const std::uint32_t g : ended_) {
        const DelayGadget& gadget = net_.gadgets[g];
        for (const Effect& effect : net_.effects[gadget.done]) {
            if (effect.place != gadget.wait && effect.place != gadget.timer &&
                !change(effect.place, effect.delta))
                return false;
        }
    }
    return true;
}

/// Moves the tokens of a running gadget to where they are after step now().
void RunState::settle_gadget(std::uint32_t g) {
    const DelayGadget& gadget = net_.gadgets[g];
    const std::uint64_t ticks =
        std::min(now_ - delays_[g].started, static_cast<std::uint64_t>(marking_[gadget.timer]));
    if (ticks > 0) order_.note_tick(gadget.tick, false);
    marking_[gadget.wait] += static_cast<Tokens>(ticks);
    marking_[gadget.timer] -= static_cast<Tokens>(ticks);
    count_delay(gadget, ticks, 0);
}

void RunState::wake(std::uint32_t g) {
    const DelayGadget& gadget = net_.gadgets[g];
    if (delays_[g].due != 0) {
        calendar_.cancel(g, delays_[g].due);
        settle_gadget(g);
        delays_[g].due = 0;
    }
    for (const std::uint32_t place : {gadget.wait, gadget.timer}) {
        kind_[place] &= static_cast<std::uint8_t>(~asleep);
        start_watching(place);
        if ((kind_[place] & contestable) != 0) note_demand(place);
    }
    condition_met(gadget.tick);
    condition_met(gadget.done);
}

void RunState::settle() {
    for (std::uint32_t g = 0; g < delays_.size(); ++g) {
        if (delays_[g].due != 0) settle_gadget(g);
    }
}

}  // namespace warpnet
