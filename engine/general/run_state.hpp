#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/general/candidate_sets.hpp"
#include "engine/general/cell_states.hpp"
#include "engine/general/delay_calendar.hpp"
#include "engine/general/general_net.hpp"
#include "engine/run/conflict_order.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// A marking and what follows from it, kept up to date change by change: which transitions are enabled, which
/// places cannot serve all that are, when delays end. Cost of a change: the conditions on that place that it
/// makes true or false.
///
/// A transition is a *candidate* while all its conditions hold except those on hub places; candidates stand
/// in the set of their group. A shared place is *over* while the candidates together want more tokens than it
/// has: only transitions that take from such a place are in conflict.
///
/// While a delay gadget runs, its two places keep the tokens they had when it was started and its transitions
/// are no candidates; settle() brings the marking to the present. A second token in a running gadget ends
/// this for that gadget: it is then executed like the rest of the net.
///
/// The transitions of a cell are no candidates either, but for those that demand something of hubs: the state
/// of the cell says who fires and who competes. A cell that does what its states cannot express is given up:
/// it is then executed like the rest of the net. Nothing else changes by that.
class RunState {
  public:
    struct Uses {
        bool delays;   ///< skip the inside of gadgets; for maximal steps only
        bool cells;    ///< use the cells; for maximal steps only
        bool marking;  ///< keep marking() complete, which costs a little
    };
    /// `order` is told what fires in gadgets.
    RunState(const CompiledNet& net, const GeneralNet& general, ConflictOrder& order, Uses uses);

    /// Without Uses::marking, flips of cells (CellShape::Slot) are right only after settle().
    std::span<const Tokens> marking() const noexcept { return marking_; }
    CandidateSets& candidates() noexcept { return candidates_; }
    bool is_candidate(std::uint32_t transition) const noexcept { return unmet_[transition] == 0; }
    /// The shared places that are over, hubs left out; valid until the next change.
    std::span<const std::uint32_t> over_places() {
        if (!over_.empty()) drop_served();
        return over_;
    }
    /// For shared places, hubs included.
    bool is_over(std::uint32_t place) const noexcept { return demand_[place] > marking_[place]; }

    /// Timed steps made so far; a token that arrives now can be used from step now()+1 on.
    std::uint64_t now() const noexcept { return now_; }
    /// The next step in which a gadget ends, or DelayCalendar::nothing_due.
    std::uint64_t next_due() noexcept { return calendar_.next_due(now_); }
    void advance_to(std::uint64_t now) noexcept { now_ = now; }

    /// Calls visit(cell, state) for the cells in which something fires or competes in the next step without a
    /// demand on hubs, in the order of the net.
    template <class Visit>
    void for_each_acting_cell(Visit&& visit) const;
    std::span<const CellConflict> conflicts(const CellState& state) const { return states_.conflicts(state); }
    /// Of a cell that is used: what its numbers and slots stand for.
    const std::uint32_t* transitions(std::uint32_t cell) const noexcept {
        return cell_runs_[cell].transitions;
    }
    const std::uint32_t* slots(std::uint32_t cell) const noexcept { return cell_runs_[cell].slots; }

    /// Ends the gadgets due at now(): their last transition fires, as soon as fire() is called. False on
    /// overflow.
    bool end_delays();
    /// Transitions of a cell fire in the step that fire() makes, beside those that it is given.
    void add_fired(std::uint32_t cell, std::uint64_t transitions);
    /// Takes back what add_fired() has added.
    void forget_fired();
    /// Whether that leaves everything as it is.
    bool fired_changes_nothing() const {
        return moving().empty() || (!cells_->all_effective && no_fired_has_effects());
    }
    /// Applies the net effect of a step. False on overflow.
    bool fire(std::span<const Firing> step) {
        return cells_ != nullptr ? fire_with_cells(step) : fire_without_cells(step);
    }

    /// The gadgets that the last end_delays() ended.
    std::span<const std::uint32_t> ended_delays() const noexcept { return ended_; }
    /// Tokens come to or leave a place by firings elsewhere, after step now(). False on overflow.
    bool arrive(std::uint32_t place, std::int32_t delta) { return change(place, delta); }

    /// Firings inside gadgets, complete up to now() only after settle(); per transition where counts were
    /// asked for.
    std::uint64_t delay_firings() const noexcept { return delay_firings_; }
    void count_delays_in(std::vector<std::uint64_t>* counts) noexcept { counts_ = counts; }

    /// Puts the tokens of running gadgets where they are now. The state must not be used for execution
    /// afterwards.
    void settle();

  private:
    /// Of a place; 0: nothing depends on it but hub groups.
    enum Kind : std::uint8_t {
        graded = 1,       // has a watch with a threshold other than 1
        contestable = 2,  // shared and no hub: whether it is over is kept track of
        asleep = 4,       // wait or timer of a gadget that is skipped
        listed = 8,       // stands in over_
        watched = 16,     // has watches
        in_cell = 32,     // of a cell, with conditions, and no flip
        cell_flip = 64,   // flip of a cell
    };
    /// Where a cell is, and its rows, within easy reach.
    struct CellRun {
        const CellState* state = nullptr;  // null: the cell is given up
        std::uint64_t fired = 0;           // what fires in the step at hand
        const std::uint32_t* transitions = nullptr;
        const std::uint32_t* slots = nullptr;
    };
    struct Delay {
        std::uint64_t started = 0;
        std::uint64_t due = 0;  // 0: not running
    };

    bool apply(std::uint32_t transition);
    bool apply(std::uint32_t transition, Tokens times);
    bool apply_done(const DelayGadget& gadget);
    bool change(std::uint32_t place, Tokens delta);
    bool change_tokens(std::uint32_t place, Tokens delta);
    bool change_flip(std::uint32_t place, Tokens delta);
    void change_watched(std::uint32_t place, Tokens before);
    void change_special(std::uint32_t place, Tokens before);
    template <class Visit>
    void for_each_shared_input(std::uint32_t transition, Visit&& visit) const;
    bool apply_singly(std::span<const Effect> effects);
    void enter(std::uint32_t transition);
    void leave(std::uint32_t transition);
    void set_unmet(std::uint32_t transition, std::uint32_t unmet);
    void condition_met(std::uint32_t transition);
    void condition_lost(std::uint32_t transition);
    void turn_condition(std::uint32_t transition, bool met);
    void note_demand(std::uint32_t place);
    void drop_served();
    void token_enters(std::uint32_t place);
    void count_delay(const DelayGadget& gadget, std::uint64_t ticks, std::uint64_t ends);
    void settle_gadget(std::uint32_t gadget);
    void wake(std::uint32_t gadget);
    void start_watching(std::uint32_t place);

    std::span<const std::uint32_t> moving() const noexcept { return {moving_.data(), moving_end_}; }
    bool no_fired_has_effects() const;
    bool fire_with_cells(std::span<const Firing> step);
    bool fire_without_cells(std::span<const Firing> step);
    bool note_in_cell(std::uint32_t transition);
    void change_conditions(const CellRun& run, const CellMove& move);
    bool fire_singly(std::uint32_t cell, std::uint64_t fired);
    void begin_cells();
    void go_to(std::uint32_t cell, const CellState& state);
    void show_action(std::uint32_t cell, bool acts);
    void settle_flips(std::uint32_t cell);
    void demand(std::uint32_t transition);
    void withdraw(std::uint32_t transition);
    std::uint32_t cell_around(std::uint32_t place) const;
    const CellShape::Slot& slot_at(std::uint32_t cell, std::uint32_t place) const;
    bool change_in_cell(std::uint32_t place);
    bool belongs_to(std::uint32_t cell, std::uint32_t transition) const;
    void give_up(std::uint32_t cell);

    const CompiledNet& net_;
    // Of net_ and of what is known about it, within easy reach.
    const Effect* effects_;
    const std::uint32_t* first_effect_;
    const std::uint8_t* flips_;
    const Turn* turns_;
    const std::uint32_t* first_turn_;
    const Seat* seats_;
    const PlaceWeight* inputs_;
    const std::uint32_t* first_input_;
    const std::uint8_t* shared_;

    ConflictOrder& order_;
    Marking marking_;
    std::vector<std::uint32_t> unmet_;  // per transition: conditions that do not hold
    CandidateSets candidates_;
    std::vector<Tokens> demand_;  // per shared place: what the candidates want together
    std::vector<std::uint8_t> kind_;
    std::vector<std::uint32_t> over_;  // contestable places that are over, and some that were

    const Cells* cells_;  // null: not used
    bool keeps_flips_;
    CellStates states_;
    std::vector<CellRun> cell_runs_;     // per cell
    std::vector<std::uint32_t> moving_;  // first: cells in which something fires in the step at hand
    std::uint32_t* moving_end_ = nullptr;
    std::vector<std::uint64_t> acting_;  // a bit per cell: CellState::acts()

    DelayCalendar calendar_;
    std::vector<Delay> delays_;             // per gadget that is skipped
    std::vector<std::uint32_t> gadget_at_;  // per place `wait` of one: which
    std::vector<std::uint32_t> ended_;
    std::uint64_t now_ = 0;
    std::uint64_t delay_firings_ = 0;
    std::vector<std::uint64_t>* counts_ = nullptr;
};

/// A contestable place has fewer tokens than before, or is wanted by more.
inline void RunState::note_demand(std::uint32_t place) {
    if (!is_over(place) || (kind_[place] & listed) != 0) return;
    kind_[place] |= listed;
    over_.push_back(place);
}

template <class Visit>
void RunState::for_each_shared_input(std::uint32_t transition, Visit&& visit) const {
    const PlaceWeight* const inputs = inputs_ + first_input_[transition];
    const std::uint8_t shared = shared_[transition];
    const PlaceWeight* const end = shared < 255 ? inputs + shared : inputs_ + first_input_[transition + 1];
    for (const PlaceWeight* input = inputs; input != end; ++input) visit(input->place, input->weight);
}

inline void RunState::enter(std::uint32_t transition) {
    candidates_.insert(seats_[transition]);
    for_each_shared_input(transition, [this](std::uint32_t place, Tokens weight) {
        demand_[place] += weight;
        if ((kind_[place] & contestable) != 0) note_demand(place);
    });
}

inline void RunState::leave(std::uint32_t transition) {
    candidates_.erase(seats_[transition]);
    for_each_shared_input(transition,
                          [this](std::uint32_t place, Tokens weight) { demand_[place] -= weight; });
}

inline void RunState::set_unmet(std::uint32_t transition, std::uint32_t unmet) {
    const std::uint32_t before = unmet_[transition];
    unmet_[transition] = unmet;
    if (before == 0) {
        leave(transition);
    } else if (unmet == 0) {
        enter(transition);
    }
}

inline void RunState::condition_met(std::uint32_t transition) {
    if (--unmet_[transition] == 0) enter(transition);
}

inline void RunState::condition_lost(std::uint32_t transition) {
    if (unmet_[transition]++ == 0) leave(transition);
}

/// A condition has become true (`met`) or false.
inline void RunState::turn_condition(std::uint32_t transition, bool met) {
    if (met) {
        condition_met(transition);
    } else {
        condition_lost(transition);
    }
}

inline bool RunState::change(std::uint32_t place, Tokens delta) {
    return (kind_[place] & cell_flip) != 0 ? change_flip(place, delta) : change_tokens(place, delta);
}

inline bool RunState::change_tokens(std::uint32_t place, Tokens delta) {
    const Tokens before = marking_[place];
    if (__builtin_add_overflow(before, delta, &marking_[place])) {
        marking_[place] = before;
        return false;
    }
    const std::uint8_t kind = kind_[place];
    const bool crosses_zero = before == 0 || marking_[place] == 0;
    if (kind != 0 && (crosses_zero || (kind & (graded | contestable | asleep)) != 0))
        change_watched(place, before);
    return true;
}

inline void RunState::show_action(std::uint32_t cell, bool acts) {
    std::uint64_t& acting = acting_[cell / 64];
    acting = (acting & ~(std::uint64_t{1} << (cell % 64))) | std::uint64_t{acts} << (cell % 64);
}

template <class Visit>
void RunState::for_each_acting_cell(Visit&& visit) const {
    for (std::size_t word = 0; word < acting_.size(); ++word) {
        for (std::uint64_t rest = acting_[word]; rest != 0; rest &= rest - 1) {
            const std::size_t cell = word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
            visit(static_cast<std::uint32_t>(cell), *cell_runs_[cell].state);
        }
    }
}

inline void RunState::add_fired(std::uint32_t cell, std::uint64_t transitions) {
    CellRun& run = cell_runs_[cell];
    if (run.fired == 0) *moving_end_++ = cell;
    run.fired |= transitions;
}

inline void RunState::forget_fired() {
    for (const std::uint32_t cell : moving()) cell_runs_[cell].fired = 0;
    moving_end_ = moving_.data();
}

/// Needs cells_. Whether it is a transition of a cell that is used; then it fires with the others there.
inline bool RunState::note_in_cell(std::uint32_t transition) {
    const std::uint32_t seat = cells_->seats[transition];
    if (seat == Cells::no_seat) return false;
    if (cell_runs_[seat / Cells::most].state == nullptr) return false;
    add_fired(seat / Cells::most, std::uint64_t{1} << (seat % Cells::most));
    return true;
}

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
    std::uint32_t* const unmet = unmet_.data();
    const Turn* const turns_end = turns_ + first_turn_[transition + 1];
    for (const Turn* turn = turns_ + first_turn_[transition]; turn != turns_end; ++turn) {
        const std::uint32_t other = turn->transition();
        set_unmet(other, turn->applied_to(unmet[other]));
    }
    const Effect* const effects_end = effects_ + first_effect_[transition + 1];
    for (const Effect* effect = flips_end; effect != effects_end; ++effect) {
        if (!change(effect->place, effect->delta)) return false;
    }
    return true;
}

}  // namespace warpnet
