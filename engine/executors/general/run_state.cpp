#include "engine/executors/general/run_state.hpp"

#include "engine/base/bits.hpp"

#include <algorithm>

namespace warpnet {

RunState::RunState(const CompiledNet& net, const GeneralNet& general, ConflictOrder& order, Uses uses)
    : net_(net),
      effects_(net.effects.all().data()),
      first_effect_(net.effects.firsts().data()),
      flips_(general.flips.data()),
      turns_(general.turns.all().data()),
      first_turn_(general.turns.firsts().data()),
      order_(order),
      marking_(net.initial),
      kind_(net.place_count(), 0),
      candidates_(net, marking_.data(), general.rivals,
                  std::max<std::size_t>(general.rival_groups.size(), 1)),
      cells_(uses.cells && general.cells.size() > 0 ? &general.cells : nullptr, uses.delays),
      delays_(net, uses.delays),
      keeps_flips_(uses.marking),
      all_effective_(general.cells.all_effective) {
    std::vector<std::uint32_t> always;  // take from hubs alone, or from nowhere: candidates for good
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
    for (std::uint32_t cell = 0; cell < cells_.size(); ++cell) begin_cell(cell);
}

void RunState::begin_delays() {
    for (std::uint32_t g = 0; g < delays_.size(); ++g) {
        const DelayGadget& gadget = net_.gadgets[g];
        // Never a candidate while the gadget is skipped; wake() takes this extra condition back.
        for (const std::uint32_t t : {gadget.tick, gadget.done})
            candidates_.recount(t, candidates_.unmet(t) + 1);
        for (const std::uint32_t place : {gadget.wait, gadget.timer}) kind_[place] |= asleep;
    }
    delays_.start_initial(marking_);
}

/// Counts the conditions on a place that its tokens meet, all of which count as unmet before.
void RunState::start_watching(std::uint32_t place) {
    for (const auto [transition, threshold] : net_.watches[place]) {
        if (meets(marking_[place], threshold)) candidates_.condition_met(transition);
    }
}

// --- firing

inline bool RunState::apply(std::uint32_t transition) {
    const Effect* const effects = effects_ + first_effect_[transition];
    const Effect* const flips_end = effects + flips_[transition];
    Tokens* const marking = marking_.data();
    for (const Effect* flip = effects; flip != flips_end; ++flip) {
        const Tokens before = marking[flip->place];
        if (before != (flip->delta < 0 ? 1 : 0)) [[unlikely]] {
            for (const Effect* done = effects; done != flip; ++done) marking[done->place] -= done->delta;
            return apply_singly(net_.effects[transition]);
        }
        marking[flip->place] = before + flip->delta;
    }
    // A flipping place that has lost its token is wanted by no candidate any more: it is not over.
    const Turn* const turns_end = turns_ + first_turn_[transition + 1];
    for (const Turn* turn = turns_ + first_turn_[transition]; turn != turns_end; ++turn) {
        const std::uint32_t other = turn->transition();
        candidates_.set_unmet(other, turn->applied_to(candidates_.unmet(other)));
    }
    const Effect* const effects_end = effects_ + first_effect_[transition + 1];
    for (const Effect* effect = flips_end; effect != effects_end; ++effect) {
        if (!change(effect->place, effect->delta)) return false;
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

bool RunState::apply_singly(std::span<const Effect> effects) {
    return std::all_of(effects.begin(), effects.end(),
                       [&](Effect effect) { return change(effect.place, effect.delta); });
}

/// The firing that ends a gadget, but for its own places.
bool RunState::apply_done(const DelayGadget& gadget) {
    const auto effects = net_.effects[gadget.done];
    return std::all_of(effects.begin(), effects.end(), [&](Effect effect) {
        return effect.place == gadget.wait || effect.place == gadget.timer ||
               change(effect.place, effect.delta);
    });
}

bool RunState::fire_all(std::span<const Firing> step) {
    for (const auto [transition, times] : step) {
        if (!(times == 1 ? apply(transition) : apply(transition, times))) return false;
    }
    return true;
}

/// What a move means for hubs, for immediate transitions and for the conditions of transitions elsewhere.
inline void RunState::turn_conditions(std::uint32_t cell, const CellMove& move) {
    const std::uint32_t* const transitions = cells_.transitions(cell);
    const std::uint32_t* const slots = cells_.slots(cell);
    if (move.turns_immediate) cells_.turn_immediate(cell);
    for_each_bit(move.withdrawn, [&](std::uint32_t i) { candidates_.withdraw_from_hubs(transitions[i]); });
    for_each_bit(move.demanding, [&](std::uint32_t i) { candidates_.demand_hubs(transitions[i]); });
    for (const auto [slot, change] : cells_.states().turns(move)) {
        const std::uint32_t other = slots[slot];
        candidates_.set_unmet(other, candidates_.unmet(other) + static_cast<std::uint32_t>(change));
    }
}

/// What a move does to the rest of the net. False on overflow.
inline bool RunState::follow(std::uint32_t cell, const CellMove& move) {
    const std::uint32_t* const slots = cells_.slots(cell);
    if (move.changes_conditions) turn_conditions(cell, move);
    if (keeps_flips_) {
        for (const auto [slot, delta] : cells_.states().flips(move)) marking_[slots[slot]] += delta;
    }
    for (const auto [slot, delta] : cells_.states().others(move)) {
        if (!change(slots[slot], delta)) return false;
    }
    return true;
}

bool RunState::fire_with_cells(std::span<const Firing> step) {
    for (const auto [transition, times] : step) {  // each once, as cells are for maximal steps
        if (!cells_.add_fired(transition) && !apply(transition, times)) return false;
    }
    for (const auto [cell, chosen] : cells_.take_moving()) {
        const std::uint64_t fired = cells_.take_fired(cell);
        const CellMove* const move = cells_.make_move(cell, fired, chosen);
        if (move == nullptr) [[unlikely]] {
            if (!fire_singly(cell, fired)) return false;
        } else if (!follow(cell, *move)) {
            return false;
        }
    }
    return true;
}

bool RunState::fire_singly(std::uint32_t cell, std::uint64_t fired) {
    give_up(cell);
    bool in_range = true;
    for_each_bit(fired, [&](std::uint32_t i) {
        const CellDelay* const delay = cells_.shape_of(cell).delay_ended_by(i);
        if (delay == nullptr || delays_.empty()) {
            in_range = in_range && apply(cells_.transitions(cell)[i], 1);
        } else {
            in_range = in_range && apply_done(net_.gadgets[delays_.at(cells_.slots(cell)[delay->wait])]);
        }
    });
    return in_range;
}

bool RunState::cells_have_effects() const {
    const auto moving = cells_.moving();
    return std::any_of(moving.begin(), moving.end(), [&](const auto& entry) {
        const std::uint32_t cell = entry.cell;
        bool some = false;
        for_each_bit(cells_.fired(cell), [&](std::uint32_t i) {
            some = some || !net_.effects[cells_.transitions(cell)[i]].empty();
        });
        return some;
    });
}

// --- places

/// A place that is more than a number has other tokens than before.
void RunState::change_watched(std::uint32_t place, Tokens before) {
    const std::uint8_t kind = kind_[place];
    const bool crosses_zero = before == 0 || marking_[place] == 0;
    if ((kind & (graded | asleep)) != 0 || (crosses_zero && (kind & in_cell) != 0)) {
        change_special(place, before);
    } else if (crosses_zero) {
        for (const auto [transition, threshold] : net_.watches[place]) {
            candidates_.turn_condition(transition, (threshold > 0) == (before == 0));
        }
    }
    if ((kind & contestable) != 0) candidates_.note_demand(place);
}

/// The conditions on a place that is graded, or the tokens of a gadget.
void RunState::change_special(std::uint32_t place, Tokens before) {
    const Tokens after = marking_[place];
    if ((kind_[place] & asleep) != 0) {
        token_enters(place);
        return;
    }
    const bool told = (kind_[place] & in_cell) != 0 && change_in_cell(place);
    for (const auto [transition, threshold] : net_.watches[place]) {
        if (told && cells_.contain(transition)) continue;
        const bool met = meets(after, threshold);
        if (meets(before, threshold) != met) candidates_.turn_condition(transition, met);
    }
}

/// Tokens come to or leave a flip of a cell from elsewhere.
bool RunState::change_flip(std::uint32_t place, Tokens delta) {
    const std::uint32_t cell = cell_around(place);
    if (cells_.state(cell) == nullptr) return change_tokens(place, delta);
    const bool marked = cells_.is_marked(cell, place);
    const CellState* const next = cells_.state_flipped(cell, place, delta);
    if (next == nullptr) {
        give_up(cell);
        return change_tokens(place, delta);
    }
    marking_[place] = marked ? 0 : 1;
    go_to(cell, *next);
    for (const auto [transition, threshold] : net_.watches[place]) {
        if (!cells_.contain(transition)) candidates_.turn_condition(transition, (threshold > 0) != marked);
    }
    return true;
}

// --- delays

void RunState::token_enters(std::uint32_t place) {
    const std::uint32_t g = delays_.at(place);
    if (g == delays_.size()) return;  // it is a timer
    if (!delays_.enter(g, marking_[place], now_)) wake(g);
}

bool RunState::end_delays() {
    const auto ended = delays_.end_due(now_);
    // First all of them stop, then their tokens arrive: one may arrive in another that ends in this step too.
    for (const std::uint32_t g : ended) {
        const DelayGadget& gadget = net_.gadgets[g];
        if (marking_[gadget.timer] > 0) order_.note_tick(gadget.tick, true);
        order_.note_fired(gadget.done);
        delays_.reset(g, marking_[gadget.wait], marking_[gadget.timer]);
    }
    return std::all_of(ended.begin(), ended.end(), [&](std::uint32_t g) {
        const DelayGadget& gadget = net_.gadgets[g];
        return cells_.add_fired(gadget.done) || apply_done(gadget);
    });
}

/// Moves the tokens of a running gadget to where they are after step now().
void RunState::settle_gadget(std::uint32_t g) {
    const DelayGadget& gadget = net_.gadgets[g];
    const std::uint64_t ticks = delays_.settle(g, now_, marking_[gadget.wait], marking_[gadget.timer]);
    if (ticks > 0) order_.note_tick(gadget.tick, false);
}

void RunState::wake(std::uint32_t g) {
    const DelayGadget& gadget = net_.gadgets[g];
    if (!cells_.empty() && cells_.contain(gadget.done)) give_up(cells_.cell_of(gadget.done));
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
    for (std::uint32_t cell = 0; cell < cells_.size(); ++cell) {
        if (cells_.state(cell) != nullptr) cells_.settle_flips(cell, marking_.data());
    }
}

// --- cells

void RunState::begin_cell(std::uint32_t cell) {
    const CellState* const state = cells_.state_for(cell, marking_.data());
    if (state == nullptr) return;
    const std::uint32_t* const transitions = cells_.transitions(cell);
    const std::uint32_t* const slots = cells_.slots(cell);
    for (const std::uint32_t t : cells_.transitions_of(cell))
        candidates_.condition_lost(t);  // no candidate as long as the cell is used
    const CellShape& shape = cells_.shape_of(cell);
    for (std::size_t slot = 0; slot < shape.places.size(); ++slot) {
        const CellShape::Slot& place = shape.places[slot];
        std::uint8_t& kind = kind_[slots[slot]];
        if (place.flips) kind |= cell_flip;
        if (place.conditions == 0 || place.flips) continue;
        kind |= in_cell;
        for_each_bit(place.conditions, [&](std::uint32_t i) {
            const std::int32_t threshold = shape.conditions[i].threshold;
            if (threshold != 1 && threshold != -1) kind |= graded;
        });
    }
    for_each_bit(state->demanding, [&](std::uint32_t i) { candidates_.demand_hubs(transitions[i]); });
    cells_.set_state(cell, state);
}

/// The cell of a place that its transitions look at.
std::uint32_t RunState::cell_around(std::uint32_t place) const {
    const auto watches = net_.watches[place];
    const auto inside = std::find_if(watches.begin(), watches.end(),
                                     [&](Watch watch) { return cells_.contain(watch.transition); });
    return cells_.cell_of(inside->transition);
}

void RunState::go_to(std::uint32_t cell, const CellState& state) {
    const std::uint64_t before = cells_.state(cell)->demanding;
    const std::uint32_t* const transitions = cells_.transitions(cell);
    for_each_bit(before & ~state.demanding,
                 [&](std::uint32_t i) { candidates_.withdraw_from_hubs(transitions[i]); });
    for_each_bit(state.demanding & ~before,
                 [&](std::uint32_t i) { candidates_.demand_hubs(transitions[i]); });
    cells_.set_state(cell, &state);
}

/// A place of a cell, no flip, has other tokens than before. False where the cell is not used.
bool RunState::change_in_cell(std::uint32_t place) {
    const std::uint32_t cell = cell_around(place);
    const CellState* const before = cells_.state(cell);
    if (before == nullptr) return false;
    const CellState* const next = cells_.state_with(cell, place, marking_[place]);
    if (next == nullptr) {
        give_up(cell);
    } else if (next != before) {
        go_to(cell, *next);
    }
    return true;
}

/// From now on a cell is executed like the rest of the net.
void RunState::give_up(std::uint32_t cell) {
    const CellState* const state = cells_.state(cell);
    if (state == nullptr) return;
    const auto transitions = cells_.transitions_of(cell);
    for_each_bit(state->demanding, [&](std::uint32_t i) { candidates_.withdraw_from_hubs(transitions[i]); });
    cells_.settle_flips(cell, marking_.data());
    cells_.set_state(cell, nullptr);
    const CellShape& shape = cells_.shape_of(cell);
    for (std::uint32_t i = 0; i < transitions.size(); ++i) {
        const bool skipped = !delays_.empty() && (shape.in_delays >> i & 1) != 0 &&
                             (kind_[net_.inputs[transitions[i]].front().place] & asleep) != 0;
        candidates_.recount(transitions[i], skipped ? 1 : 0);
    }
    for (const std::uint32_t place : cells_.places_of(cell)) {
        for (const auto [transition, threshold] : net_.watches[place]) {
            if (!cells_.contain(transition) || cells_.cell_of(transition) != cell) continue;
            const bool met = (kind_[place] & asleep) == 0 && meets(marking_[place], threshold);
            candidates_.recount(transition, candidates_.unmet(transition) + (met ? 0 : 1));
        }
    }
    for (const std::uint32_t t : transitions) candidates_.enter_if_met(t);
}

}  // namespace warpnet
