#pragma once

#include "engine/executors/general/cells.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

namespace warpnet {

/// A place of a cell that cannot serve all candidates which want to take from it.
struct CellConflict {
    std::uint64_t competitors;
    std::uint64_t tangled;  ///< those who compete for another place of the cell too
    std::uint32_t slot;
    std::uint32_t count;  ///< of competitors
    bool flips;           ///< CellShape::Slot
    bool demanding;       ///< somebody demands something of hubs
};

struct CellMove;

/// What a cell does in the next step of timed or of immediate transitions without a demand on hubs.
struct CellActs {
    std::uint64_t fires;       ///< transitions that fire whatever happens elsewhere
    std::uint32_t fire_count;  ///< how many fire
    std::uint32_t first_conflict, conflicts;

    bool any() const noexcept { return fires != 0 || conflicts != 0; }
};

/// What follows from the conditions of a cell.
struct CellState {
    /// Of more competitors for one place each winner is looked up.
    static constexpr std::uint32_t most_choices = 8;

    std::uint64_t conditions;  ///< those that hold
    std::uint64_t demanding;   ///< candidates that demand something of hubs
    std::uint32_t shape;
    CellActs timed, immediate;
    /// In how many ways timed transitions can act where nobody else takes part: 1 without a conflict, the
    /// number of competitors where they compete for one token, each for nothing else; 0: it is not so simple.
    std::uint32_t choices;
    const CellMove* latest_move;
    std::array<const CellMove*, most_choices> own_moves;  ///< by choice; null: not known yet

    const CellActs& acts(bool at_once) const noexcept { return at_once ? immediate : timed; }
};

/// What it does to a cell in some state, and to its surroundings, that some of its transitions fire.
struct CellMove {
    const CellState* from;
    std::uint64_t fired;
    std::uint64_t demanding, withdrawn;  ///< CellState::demanding: who comes and who goes
    const CellMove* earlier;             ///< the next one of the same state, or null
    const CellState* to;
    std::uint32_t first_other;
    std::uint16_t flips, others;  ///< effects on slots; the flips stand before the others
    std::uint32_t first_turn;
    std::uint16_t turns;
    std::uint8_t firings;               ///< how many transitions fire
    bool changes_conditions;            ///< there are demanding, withdrawn or turns, or turns_immediate
    bool turns_timed, turns_immediate;  ///< whether the cell acts in such a step is another where it leads
};

/// By how much the conditions of a transition elsewhere that do not hold become more.
struct CellTurn {
    std::uint32_t slot;
    std::int32_t change;
};

/// The states of cells that a run has met so far and how they follow each other: a memory, nothing that is
/// found in it depends on what else is in it.
class CellStates {
  public:
    /// Beyond so many states nothing new is remembered.
    static constexpr std::size_t most = 4096;

    /// `skip_delays`: transitions of gadgets are never candidates, the gadgets' places change elsewhere.
    CellStates(const Cells* cells, bool skip_delays) : cells_(cells), skip_delays_(skip_delays) {}

    /// The state of cells of a shape with these conditions, for good; null where there are too many.
    const CellState* find(std::uint32_t shape, std::uint64_t conditions) {
        return find_or_add(shape, conditions);
    }

    /// Conditions that hold where `tokens(slot)` stand in the slots.
    template <class TokensIn>
    std::uint64_t conditions_of(const CellShape& shape, TokensIn&& tokens) const {
        std::uint64_t held = 0;
        for (std::size_t i = 0; i < shape.conditions.size(); ++i) {
            const CellCondition condition = shape.conditions[i];
            const bool left_out = skip_delays_ && shape.places[condition.slot].in_delay;
            if (!left_out && meets(tokens(condition.slot), condition.threshold))
                held |= std::uint64_t{1} << i;
        }
        return held;
    }

    /// What happens in a state when transitions fire together. Null where a flip would get a second token, or
    /// where there are too many states.
    const CellMove* move(const CellState& state, std::uint64_t fired) {
        for (const CellMove* move = state.latest_move; move != nullptr; move = move->earlier) {
            if (move->fired == fired) [[likely]]
                return move;
        }
        return add_move(state, fired);
    }

    /// What happens in a state with choices where nobody else takes part. Null: see move().
    const CellMove* own_move(const CellState& state, std::uint32_t choice) {
        const CellMove* const known = state.own_moves[choice];
        return known != nullptr ? known : add_own_move(state, choice);
    }

    std::span<const CellConflict> conflicts(const CellActs& acts) const noexcept {
        return {conflicts_.data() + acts.first_conflict, acts.conflicts};
    }
    /// Effects on slots: on flips, on others.
    std::span<const Effect> flips(const CellMove& move) const noexcept {
        return {effects_.data() + move.first_other - move.flips, move.flips};
    }
    std::span<const Effect> others(const CellMove& move) const noexcept {
        return {effects_.data() + move.first_other, move.others};
    }
    std::span<const CellTurn> turns(const CellMove& move) const noexcept {
        return {turns_.data() + move.first_turn, move.turns};
    }

  private:
    struct Key {
        std::uint32_t shape;
        std::uint64_t conditions;
        bool operator==(const Key&) const = default;
    };
    struct KeyHash {
        std::size_t operator()(const Key& key) const noexcept;
    };

    CellState* find_or_add(std::uint32_t shape, std::uint64_t conditions);
    CellState state_of(std::uint32_t shape, std::uint64_t conditions);
    const CellMove* add_move(const CellState& from, std::uint64_t fired);
    const CellMove* add_own_move(const CellState& state, std::uint32_t choice);
    void find_conflicts(const CellShape& shape, std::uint64_t conditions, std::uint64_t candidates);
    CellActs acts_of(const CellShape& shape, std::uint64_t candidates, std::uint64_t phase);
    std::uint32_t choices_of(const CellActs& acts) const;
    void sum_up(const CellShape& shape, std::uint64_t fired);

    const Cells* cells_;
    bool skip_delays_;
    std::deque<CellState> states_;
    std::deque<CellMove> moves_;
    std::vector<CellConflict> conflicts_,
        found_;  // of states; of the state that is added, of all its candidates
    std::vector<Effect> effects_;
    std::vector<CellTurn> turns_;
    std::unordered_map<Key, CellState*, KeyHash> known_;
    std::vector<std::int32_t> deltas_;
};

}  // namespace warpnet
