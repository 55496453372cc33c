#include "engine/executors/general/cell_states.hpp"

#include "engine/base/bits.hpp"
#include "engine/base/random.hpp"

#include <algorithm>
#include <bit>

namespace warpnet {

std::size_t CellStates::KeyHash::operator()(const Key& key) const noexcept {
    return hash_bits(key.shape, key.conditions);
}

CellState* CellStates::find_or_add(std::uint32_t shape, std::uint64_t conditions) {
    if (const auto known = known_.find({shape, conditions}); known != known_.end()) return known->second;
    if (states_.size() >= most) return nullptr;
    CellState& state = states_.emplace_back(state_of(shape, conditions));
    known_.emplace(Key{shape, conditions}, &state);
    return &state;
}

CellState CellStates::state_of(std::uint32_t number, std::uint64_t conditions) {
    const CellShape& shape = cells_->shapes[number];
    std::uint64_t candidates = 0;
    for (std::size_t t = 0; t < shape.needs.size(); ++t) {
        if ((shape.needs[t] & ~conditions) == 0) candidates |= std::uint64_t{1} << t;
    }
    CellState state{};
    state.conditions = conditions;
    state.demanding = candidates & shape.demanding;
    state.shape = number;
    find_conflicts(shape, conditions, candidates);
    state.timed = acts_of(shape, candidates, ~shape.immediate);
    state.immediate = acts_of(shape, candidates, shape.immediate);
    state.choices = choices_of(state.timed);
    return state;
}

/// Fills found_: the places that cannot serve all candidates.
void CellStates::find_conflicts(const CellShape& shape, std::uint64_t conditions, std::uint64_t candidates) {
    found_.clear();
    std::uint64_t contested = 0, tangled = 0;
    for (std::uint32_t slot = 0; slot < shape.places.size(); ++slot) {
        std::uint64_t takers = 0;
        Tokens wanted = 0;
        for (const auto [taker, weight] : shape.shared[slot]) {
            if ((candidates >> taker & 1) == 0) continue;
            takers |= std::uint64_t{1} << taker;
            wanted += weight;
        }
        if (std::popcount(takers) < 2) continue;
        const auto enough = std::find(shape.conditions.begin(), shape.conditions.end(),
                                      CellCondition{slot, static_cast<std::int32_t>(wanted)}) -
                            shape.conditions.begin();
        if (!shape.places[slot].flips && (conditions >> enough & 1) != 0) continue;
        found_.push_back({takers, 0, slot, 0, shape.places[slot].flips, false});
        tangled |= takers & contested;
        contested |= takers;
    }
    for (CellConflict& conflict : found_) conflict.tangled = conflict.competitors & tangled;
}

/// Of the transitions of a phase. Who competes with those of the other phase alone is in a conflict, too.
CellActs CellStates::acts_of(const CellShape& shape, std::uint64_t candidates, std::uint64_t phase) {
    CellActs acts{};
    acts.first_conflict = static_cast<std::uint32_t>(conflicts_.size());
    std::uint64_t contested = 0;
    for (CellConflict conflict : found_) {
        conflict.competitors &= phase;
        if (conflict.competitors == 0) continue;
        conflict.tangled &= phase;
        conflict.count = static_cast<std::uint32_t>(std::popcount(conflict.competitors));
        conflict.demanding = (conflict.competitors & shape.demanding) != 0;
        contested |= conflict.competitors;
        conflicts_.push_back(conflict);
        ++acts.conflicts;
    }
    acts.fires = candidates & phase & ~shape.demanding & ~contested;
    acts.fire_count = static_cast<std::uint32_t>(std::popcount(acts.fires));
    return acts;
}

std::uint32_t CellStates::choices_of(const CellActs& acts) const {
    if (acts.conflicts == 0) return 1;
    const CellConflict& conflict = conflicts_[acts.first_conflict];
    const bool simple = acts.conflicts == 1 && conflict.flips && !conflict.demanding &&
                        conflict.count <= CellState::most_choices;
    return simple ? conflict.count : 0;
}

const CellMove* CellStates::add_own_move(const CellState& state, std::uint32_t choice) {
    std::uint64_t fired = state.timed.fires;
    for (const CellConflict& conflict : conflicts(state.timed))
        fired |= std::uint64_t{1} << select_bit(conflict.competitors, choice);
    return find_or_add(state.shape, state.conditions)->own_moves[choice] = move(state, fired);
}

const CellMove* CellStates::add_move(const CellState& from, std::uint64_t fired) {
    const CellShape& shape = cells_->shapes[from.shape];
    sum_up(shape, fired);
    CellMove move{};
    move.from = &from;
    move.fired = fired;
    move.firings = static_cast<std::uint8_t>(std::popcount(fired));
    move.earlier = from.latest_move;
    const std::size_t first_effect = effects_.size();
    move.first_turn = static_cast<std::uint32_t>(turns_.size());
    std::uint64_t conditions = from.conditions;
    const auto flips = [&](std::size_t slot) {
        return slot < shape.places.size() && shape.places[slot].flips;
    };
    bool regular = true;
    for (std::uint32_t slot = 0; slot < deltas_.size(); ++slot) {
        if (deltas_[slot] == 0 || !flips(slot)) continue;
        const CellShape::Slot& place = shape.places[slot];
        const bool marked = place.is_marked(conditions);
        regular &= deltas_[slot] == (marked ? -1 : 1);
        conditions ^= place.conditions;
        effects_.push_back({slot, deltas_[slot]});
        ++move.flips;
        for (const auto [elsewhere, threshold] : shape.watches_elsewhere[slot])
            turns_.push_back({elsewhere, (threshold > 0) == marked ? 1 : -1});
    }
    for (std::uint32_t slot = 0; slot < deltas_.size(); ++slot) {
        if (deltas_[slot] == 0 || flips(slot)) continue;
        effects_.push_back({slot, deltas_[slot]});
        ++move.others;
    }
    move.first_other = static_cast<std::uint32_t>(first_effect + move.flips);
    move.turns = static_cast<std::uint16_t>(turns_.size() - move.first_turn);
    if (regular) move.to = find(from.shape, conditions);
    if (move.to == nullptr) {
        effects_.resize(first_effect);
        turns_.resize(move.first_turn);
        return nullptr;
    }
    move.turns_timed = move.to->timed.any() != from.timed.any();
    move.turns_immediate = move.to->immediate.any() != from.immediate.any();
    move.demanding = move.to->demanding & ~from.demanding;
    move.withdrawn = from.demanding & ~move.to->demanding;
    move.changes_conditions =
        move.turns != 0 || (move.demanding | move.withdrawn) != 0 || move.turns_immediate;
    moves_.push_back(move);
    return find_or_add(from.shape, from.conditions)->latest_move = &moves_.back();
}

/// Fills deltas_ with what transitions of a shape do together, per slot.
void CellStates::sum_up(const CellShape& shape, std::uint64_t fired) {
    deltas_.assign(deltas_.size(), 0);
    for_each_bit(fired, [&](std::uint32_t t) {
        const CellDelay* const delay = skip_delays_ ? shape.delay_ended_by(t) : nullptr;
        for (const auto [slot, delta] : shape.effects[t]) {
            if (delay != nullptr && (slot == delay->wait || slot == delay->timer)) continue;
            if (slot >= deltas_.size()) deltas_.resize(slot + 1, 0);
            deltas_[slot] += delta;
        }
    });
}

}  // namespace warpnet
