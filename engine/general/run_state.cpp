#include "engine/general/run_state.hpp"

#include "engine/base/bits.hpp"

#include <algorithm>
#include <utility>

namespace warpnet {

RunState::RunState(const CompiledNet& net, const GeneralNet& general, ConflictOrder& order, Uses uses)
    : net_(net),
      effects_(net.effects.all().data()),
      first_effect_(net.effects.firsts().data()),
      flips_(general.flips.data()),
      turns_(general.turns.all().data()),
      first_turn_(general.turns.firsts().data()),
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
      cells_(uses.cells && general.cells.size() > 0 ? &general.cells : nullptr),
      keeps_flips_(uses.marking),
      states_(cells_, uses.delays),
      calendar_(uses.delays ? net.gadgets.size() : 0),
      delays_(uses.delays ? net.gadgets.size() : 0) {
    for (const Watch& watch : net.watches.all()) ++unmet_[watch.transition];
    std::vector<std::uint32_t> always;  // take from hubs alone, or from nowhere: candidates for good
    for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
        if (unmet_[t] == 0) always.push_back(t);
    }
    for (const DelayGadget& gadget : net.gadgets) {
        if (!uses.delays) break;
        // Never a candidate while the gadget is skipped; wake() takes this extra condition back.
        ++unmet_[gadget.tick];
        ++unmet_[gadget.done];
        kind_[gadget.wait] = kind_[gadget.timer] = asleep;
    }
    if (!delays_.empty()) gadget_at_.assign(net.place_count(), static_cast<std::uint32_t>(delays_.size()));
    for (std::uint32_t g = 0; g < delays_.size(); ++g) gadget_at_[net.gadgets[g].wait] = g;
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
    if (cells_ != nullptr) begin_cells();
}

/// Counts the conditions on a place that its tokens meet; `unmet_` holds all of them as unmet before.
void RunState::start_watching(std::uint32_t place) {
    for (const auto [transition, threshold] : net_.watches[place]) {
        if (meets(marking_[place], threshold)) condition_met(transition);
    }
}

bool RunState::fire_without_cells(std::span<const Firing> step) {
    for (const auto [transition, times] : step) {
        if (!(times == 1 ? apply(transition) : apply(transition, times))) return false;
    }
    return true;
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

/// A place that is more than a number has other tokens than before.
void RunState::change_watched(std::uint32_t place, Tokens before) {
    const std::uint8_t kind = kind_[place];
    const bool crosses_zero = before == 0 || marking_[place] == 0;
    if ((kind & (graded | asleep)) != 0 || (crosses_zero && (kind & in_cell) != 0)) {
        change_special(place, before);
    } else if (crosses_zero) {
        for (const auto [transition, threshold] : net_.watches[place]) {
            turn_condition(transition, (threshold > 0) == (before == 0));
        }
    }
    if ((kind & contestable) != 0) note_demand(place);
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
        if (told && cells_->seats[transition] != Cells::no_seat) continue;
        const bool met = meets(after, threshold);
        if (meets(before, threshold) != met) turn_condition(transition, met);
    }
}

void RunState::token_enters(std::uint32_t place) {
    const std::uint32_t g = gadget_at_[place];
    if (g == net_.gadgets.size()) return;  // it is a timer
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
    return std::all_of(ended_.begin(), ended_.end(), [&](std::uint32_t g) {
        const DelayGadget& gadget = net_.gadgets[g];
        return (cells_ != nullptr && note_in_cell(gadget.done)) || apply_done(gadget);
    });
}

/// The firing that ends a gadget, but for its own places.
bool RunState::apply_done(const DelayGadget& gadget) {
    const auto effects = net_.effects[gadget.done];
    return std::all_of(effects.begin(), effects.end(), [&](Effect effect) {
        return effect.place == gadget.wait || effect.place == gadget.timer ||
               change(effect.place, effect.delta);
    });
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
    if (cells_ != nullptr && cells_->seats[gadget.done] != Cells::no_seat)
        give_up(cells_->seats[gadget.done] / Cells::most);
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
    for (std::uint32_t cell = 0; cell < cell_runs_.size(); ++cell) {
        if (cell_runs_[cell].state != nullptr) settle_flips(cell);
    }
}

// --- cells

void RunState::begin_cells() {
    cell_runs_.resize(cells_->size());
    moving_.resize(cells_->size());
    moving_end_ = moving_.data();
    acting_.assign((cells_->size() + 63) / 64, 0);
    for (std::uint32_t cell = 0; cell < cells_->size(); ++cell) {
        const auto slots = cells_->slots[cell];
        const CellShape& shape = cells_->shape_of(cell);
        const std::uint64_t conditions =
            states_.conditions_of(shape, [&](std::uint32_t slot) { return marking_[slots[slot]]; });
        const CellState* const state = states_.find(cells_->shape[cell], conditions);
        if (state == nullptr) continue;
        for (const std::uint32_t t : cells_->transitions[cell]) {
            if (is_candidate(t)) leave(t);
            ++unmet_[t];  // no candidate as long as the cell is used
        }
        for (std::size_t slot = 0; slot < shape.places.size(); ++slot) {
            const CellShape::Slot& place = shape.places[slot];
            if (place.flips) kind_[slots[slot]] |= cell_flip;
            if (place.conditions == 0 || place.flips) continue;
            kind_[slots[slot]] |= in_cell;
            for_each_bit(place.conditions, [&](std::uint32_t i) {
                const std::int32_t threshold = shape.conditions[i].threshold;
                if (threshold != 1 && threshold != -1) kind_[slots[slot]] |= graded;
            });
        }
        cell_runs_[cell] = {state, 0, cells_->transitions[cell].data(), slots.data()};
        for_each_bit(state->demanding, [&](std::uint32_t i) { demand(cells_->transitions[cell][i]); });
        show_action(cell, state->acts());
    }
}

/// A transition of a cell becomes a candidate for the hubs.
inline void RunState::demand(std::uint32_t transition) {
    candidates_.insert(seats_[transition]);
    for (const auto [hub, weight] : net_.groups[seats_[transition].group].demands) demand_[hub] += weight;
}

inline void RunState::withdraw(std::uint32_t transition) {
    candidates_.erase(seats_[transition]);
    for (const auto [hub, weight] : net_.groups[seats_[transition].group].demands) demand_[hub] -= weight;
}

/// What a move means for hubs and for the conditions of transitions elsewhere.
inline void RunState::change_conditions(const CellRun& run, const CellMove& move) {
    for_each_bit(move.withdrawn, [&](std::uint32_t i) { withdraw(run.transitions[i]); });
    for_each_bit(move.demanding, [&](std::uint32_t i) { demand(run.transitions[i]); });
    for (const auto [slot, change] : states_.turns(move))
        set_unmet(run.slots[slot], unmet_[run.slots[slot]] + static_cast<std::uint32_t>(change));
}

bool RunState::fire_with_cells(std::span<const Firing> step) {
    for (const auto [transition, times] : step) {  // each once, as cells are for maximal steps
        if (!note_in_cell(transition) && !apply(transition, times)) return false;
    }
    CellRun* const runs = cell_runs_.data();
    const std::uint32_t* const end = std::exchange(moving_end_, moving_.data());
    for (const std::uint32_t* cell = moving_.data(); cell != end; ++cell) {
        CellRun& run = runs[*cell];
        const std::uint64_t fired = std::exchange(run.fired, 0);
        const CellMove* const move = run.state == nullptr ? nullptr : states_.move(*run.state, fired);
        if (move == nullptr) [[unlikely]] {
            if (!fire_singly(*cell, fired)) return false;
            continue;
        }
        run.state = move->to;
        acting_[*cell / 64] ^= std::uint64_t{move->turns_action} << (*cell % 64);
        if (move->changes_conditions) change_conditions(run, *move);
        if (keeps_flips_) {
            for (const auto [slot, delta] : states_.flips(*move)) marking_[run.slots[slot]] += delta;
        }
        for (const auto [slot, delta] : states_.others(*move)) {
            if (!change(run.slots[slot], delta)) return false;
        }
    }
    return true;
}

void RunState::go_to(std::uint32_t cell, const CellState& state) {
    CellRun& run = cell_runs_[cell];
    for_each_bit(run.state->demanding & ~state.demanding,
                 [&](std::uint32_t i) { withdraw(run.transitions[i]); });
    for_each_bit(state.demanding & ~run.state->demanding,
                 [&](std::uint32_t i) { demand(run.transitions[i]); });
    show_action(cell, state.acts());
    run.state = &state;
}

/// Writes the tokens of a cell's flips into the marking.
void RunState::settle_flips(std::uint32_t cell) {
    const CellRun& run = cell_runs_[cell];
    const CellShape& shape = cells_->shape_of(cell);
    for (std::size_t slot = 0; slot < shape.places.size(); ++slot) {
        const CellShape::Slot& place = shape.places[slot];
        if (!place.flips) continue;
        marking_[run.slots[slot]] = place.is_marked(run.state->conditions) ? 1 : 0;
    }
}

bool RunState::no_fired_has_effects() const {
    const auto cells = moving();
    return std::all_of(cells.begin(), cells.end(), [&](std::uint32_t cell) {
        bool nothing = true;
        for_each_bit(cell_runs_[cell].fired, [&](std::uint32_t i) {
            nothing = nothing && net_.effects[cell_runs_[cell].transitions[i]].empty();
        });
        return nothing;
    });
}

bool RunState::fire_singly(std::uint32_t cell, std::uint64_t fired) {
    give_up(cell);
    bool in_range = true;
    for_each_bit(fired, [&](std::uint32_t i) {
        const CellDelay* const delay = cells_->shape_of(cell).delay_ended_by(i);
        if (delay == nullptr || delays_.empty()) {
            in_range = in_range && apply(cells_->transitions[cell][i], 1);
        } else {
            in_range = in_range && apply_done(net_.gadgets[gadget_at_[cells_->slots[cell][delay->wait]]]);
        }
    });
    return in_range;
}

bool RunState::belongs_to(std::uint32_t cell, std::uint32_t transition) const {
    const std::uint32_t seat = cells_->seats[transition];
    return seat != Cells::no_seat && seat / Cells::most == cell;
}

/// The cell of a place that its transitions look at.
std::uint32_t RunState::cell_around(std::uint32_t place) const {
    const auto watches = net_.watches[place];
    const auto inside = std::find_if(watches.begin(), watches.end(), [&](Watch watch) {
        return cells_->seats[watch.transition] != Cells::no_seat;
    });
    return cells_->seats[inside->transition] / Cells::most;
}

const CellShape::Slot& RunState::slot_at(std::uint32_t cell, std::uint32_t place) const {
    const auto places = cells_->places(cell);
    const auto slot = std::lower_bound(places.begin(), places.end(), place) - places.begin();
    return cells_->shape_of(cell).places[static_cast<std::size_t>(slot)];
}

/// A place of a cell, no flip, has other tokens than before. False where the cell is not used.
bool RunState::change_in_cell(std::uint32_t place) {
    const std::uint32_t cell = cell_around(place);
    const CellState* const state = cell_runs_[cell].state;
    if (state == nullptr) return false;
    const CellShape& shape = cells_->shape_of(cell);
    std::uint64_t conditions = state->conditions;
    for_each_bit(slot_at(cell, place).conditions, [&](std::uint32_t i) {
        const std::uint64_t bit = std::uint64_t{1} << i;
        conditions =
            meets(marking_[place], shape.conditions[i].threshold) ? conditions | bit : conditions & ~bit;
    });
    if (conditions == state->conditions) return true;
    if (const CellState* const next = states_.find(cells_->shape[cell], conditions)) {
        go_to(cell, *next);
    } else {
        give_up(cell);
    }
    return true;
}

/// Tokens come to or leave a flip of a cell from elsewhere.
bool RunState::change_flip(std::uint32_t place, Tokens delta) {
    const std::uint32_t cell = cell_around(place);
    const CellState* const state = cell_runs_[cell].state;
    if (state == nullptr) return change_tokens(place, delta);
    const CellShape::Slot& slot = slot_at(cell, place);
    const bool marked = slot.is_marked(state->conditions);
    const CellState* const next = delta == (marked ? -1 : 1)
                                      ? states_.find(cells_->shape[cell], state->conditions ^ slot.conditions)
                                      : nullptr;
    if (next == nullptr) {
        give_up(cell);
        return change_tokens(place, delta);
    }
    marking_[place] = marked ? 0 : 1;
    go_to(cell, *next);
    for (const auto [transition, threshold] : net_.watches[place]) {
        if (cells_->seats[transition] != Cells::no_seat) continue;
        turn_condition(transition, (threshold > 0) != marked);
    }
    return true;
}

/// From now on a cell is executed like the rest of the net.
void RunState::give_up(std::uint32_t cell) {
    CellRun& run = cell_runs_[cell];
    if (run.state == nullptr) return;
    const auto transitions = cells_->transitions[cell];
    for_each_bit(run.state->demanding, [&](std::uint32_t i) { withdraw(transitions[i]); });
    show_action(cell, false);
    settle_flips(cell);
    run.state = nullptr;
    const CellShape& shape = cells_->shape_of(cell);
    for (std::uint32_t i = 0; i < transitions.size(); ++i) {
        const bool skipped = !delays_.empty() && (shape.in_delays >> i & 1) != 0 &&
                             (kind_[net_.inputs[transitions[i]].front().place] & asleep) != 0;
        unmet_[transitions[i]] = skipped ? 1 : 0;
    }
    for (const std::uint32_t place : cells_->places(cell)) {
        for (const auto [transition, threshold] : net_.watches[place]) {
            if (!belongs_to(cell, transition)) continue;
            const bool met = (kind_[place] & asleep) == 0 && meets(marking_[place], threshold);
            unmet_[transition] += met ? 0 : 1;
        }
    }
    for (const std::uint32_t t : transitions) {
        if (is_candidate(t)) enter(t);
    }
}

}  // namespace warpnet
