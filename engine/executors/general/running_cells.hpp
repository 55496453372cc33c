#pragma once

#include "engine/base/bits.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/executors/general/cell_states.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace warpnet {

/// The states of a net's cells, and what fires in them in the step at hand. A cell that does what its states
/// cannot express is given up: it is executed like the rest of the net from then on.
class RunningCells {
  public:
    /// `cells`: null where none are used. `skip_delays`: CellStates. No cell has a state yet.
    RunningCells(const Cells* cells, bool skip_delays);

    bool empty() const noexcept { return cells_ == nullptr; }
    std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(runs_.size()); }
    CellStates& states() noexcept { return states_; }

    /// Of a cell: null where it is given up.
    const CellState* state(std::uint32_t cell) const noexcept { return runs_[cell].state; }
    /// What its numbers and slots stand for.
    const std::uint32_t* transitions(std::uint32_t cell) const noexcept { return runs_[cell].transitions; }
    const std::uint32_t* slots(std::uint32_t cell) const noexcept { return runs_[cell].slots; }

    /// Null: gives it up.
    void set_state(std::uint32_t cell, const CellState* state) {
        runs_[cell].state = state;
        for (const bool at_once : {false, true}) {
            const std::uint64_t acts = state != nullptr && state->acts(at_once).any() ? 1 : 0;
            std::uint64_t& acting = (at_once ? acting_at_once_ : acting_)[cell / 64];
            acting = (acting & ~(std::uint64_t{1} << (cell % 64))) | acts << (cell % 64);
        }
    }

    /// Calls visit(cell, state) for the cells in which timed or immediate transitions fire or compete in the
    /// next step without a demand on hubs, in the order of the net.
    template <class Visit>
    void for_each_acting(bool at_once, Visit&& visit) const {
        for (std::size_t word = 0; word < words(); ++word) {
            for_each_bit(at_once ? acting_at_once_[word] : acting_[word], [&](std::uint32_t bit) {
                const auto cell = static_cast<std::uint32_t>(word * 64) + bit;
                visit(cell, *runs_[cell].state);
            });
        }
    }

    /// Cells 64·word .. 64·word + 63 whose timed transitions act, a bit each; below words().
    std::uint64_t acting(std::size_t word) const noexcept { return acting_[word]; }
    std::size_t words() const noexcept { return acting_.size(); }

    /// Transitions of a cell, a bit each, fire in the step at hand.
    void add_fired(std::uint32_t cell, std::uint64_t transitions) {
        Run& run = runs_[cell];
        if (run.fired == 0) *moving_end_++ = {cell, nullptr};
        run.fired |= transitions;
    }
    /// The same where it is known what that does, if nothing else fires in the cell.
    void add_move(std::uint32_t cell, const CellMove& move) {
        Run& run = runs_[cell];
        if (run.fired == 0) *moving_end_++ = {cell, &move};
        run.fired |= move.fired;
    }
    /// The same for one transition of the net; false where it is in no cell that is used.
    bool add_fired(std::uint32_t transition) {
        if (cells_ == nullptr) return false;
        const std::uint32_t seat = cells_->seats[transition];
        if (seat == Cells::no_seat || runs_[seat / Cells::most].state == nullptr) return false;
        add_fired(seat / Cells::most, std::uint64_t{1} << (seat % Cells::most));
        return true;
    }
    void forget_fired() {
        for (const Moving& moving : moving()) runs_[moving.cell].fired = 0;
        moving_end_ = moving_.data();
    }
    /// A cell in which something fires in the step at hand.
    struct Moving {
        std::uint32_t cell;
        const CellMove* move;  ///< what that did, when it was chosen, to the state; null: not looked up
    };
    std::span<const Moving> moving() const noexcept { return {moving_.data(), moving_end_}; }
    std::uint64_t fired(std::uint32_t cell) const noexcept { return runs_[cell].fired; }

    /// The step is made: moving() as it was, valid until add_fired(). Each of them is to make its move.
    std::span<const Moving> take_moving() noexcept {
        return {moving_.data(), std::exchange(moving_end_, moving_.data())};
    }
    std::uint64_t take_fired(std::uint32_t cell) noexcept { return std::exchange(runs_[cell].fired, 0); }
    /// Takes a cell to the state behind what fires; `move`: Moving. Null, and nothing is changed, where it
    /// has no state for that.
    const CellMove* make_move(std::uint32_t cell, std::uint64_t fired, const CellMove* move) {
        Run& run = runs_[cell];
        if (move == nullptr || move->from != run.state || move->fired != fired) {
            move = run.state == nullptr ? nullptr : states_.move(*run.state, fired);
            if (move == nullptr) [[unlikely]]
                return nullptr;
        }
        run.state = move->to;
        acting_[cell / 64] ^= std::uint64_t{move->turns_timed} << (cell % 64);
        return move;
    }

    /// Of a move that was made: CellMove::turns_immediate.
    void turn_immediate(std::uint32_t cell) noexcept {
        acting_at_once_[cell / 64] ^= std::uint64_t{1} << (cell % 64);
    }

    /// Whether a transition is in a cell, used or not, and in which. Need !empty().
    bool contain(std::uint32_t transition) const { return cells_->seats[transition] != Cells::no_seat; }
    std::uint32_t cell_of(std::uint32_t transition) const { return cells_->seats[transition] / Cells::most; }
    const CellShape& shape_of(std::uint32_t cell) const { return cells_->shape_of(cell); }
    std::span<const std::uint32_t> transitions_of(std::uint32_t cell) const {
        return cells_->transitions[cell];
    }
    std::span<const std::uint32_t> places_of(std::uint32_t cell) const { return cells_->places(cell); }

    /// The state of a cell, which need not have one, for the tokens that stand in its places. Null where
    /// there are too many.
    const CellState* state_for(std::uint32_t cell, const Tokens* marking);
    /// The state once a place of the cell, no flip, has so many tokens. Needs: the cell is used. Null: too
    /// many.
    const CellState* state_with(std::uint32_t cell, std::uint32_t place, Tokens tokens);
    /// The state once tokens come to or leave a flip of the cell. Null also where it would get a second token
    /// or lose one that it does not have.
    const CellState* state_flipped(std::uint32_t cell, std::uint32_t place, Tokens delta);
    /// Needs: the cell is used. Whether its state says that the flip has a token.
    bool is_marked(std::uint32_t cell, std::uint32_t place) const {
        return place_in(cell, place).is_marked(state(cell)->conditions);
    }
    /// Writes the tokens of its flips into the marking. Needs: the cell is used.
    void settle_flips(std::uint32_t cell, Tokens* marking) const;

  private:
    /// Where a cell is, and its rows, within easy reach.
    struct Run {
        const CellState* state = nullptr;  // null: the cell is given up
        std::uint64_t fired = 0;           // what fires in the step at hand
        const std::uint32_t* transitions = nullptr;
        const std::uint32_t* slots = nullptr;
    };

    const CellShape::Slot& place_in(std::uint32_t cell, std::uint32_t place) const;

    const Cells* cells_;
    CellStates states_;
    std::vector<Run> runs_;       // per cell
    std::vector<Moving> moving_;  // first: cells in which something fires in the step at hand
    Moving* moving_end_ = nullptr;
    std::vector<std::uint64_t> acting_, acting_at_once_;  // a bit per cell: its CellActs are any()
};

}  // namespace warpnet
