#include "engine/executors/general/running_cells.hpp"

#include <algorithm>

namespace warpnet {

RunningCells::RunningCells(const Cells* cells, bool skip_delays)
    : cells_(cells),
      states_(cells, skip_delays),
      runs_(cells == nullptr ? 0 : cells->size()),
      moving_(runs_.size()),
      moving_end_(moving_.data()),
      acting_((runs_.size() + 63) / 64, 0),
      acting_at_once_(acting_.size(), 0) {
    for (std::uint32_t cell = 0; cell < size(); ++cell) {
        runs_[cell].transitions = cells->transitions[cell].data();
        runs_[cell].slots = cells->slots[cell].data();
    }
}

const CellState* RunningCells::state_for(std::uint32_t cell, const Tokens* marking) {
    const std::uint32_t* const slots = runs_[cell].slots;
    const std::uint64_t conditions =
        states_.conditions_of(shape_of(cell), [&](std::uint32_t slot) { return marking[slots[slot]]; });
    return states_.find(cells_->shape[cell], conditions);
}

const CellState* RunningCells::state_with(std::uint32_t cell, std::uint32_t place, Tokens tokens) {
    const CellShape& shape = shape_of(cell);
    std::uint64_t conditions = state(cell)->conditions;
    for_each_bit(place_in(cell, place).conditions, [&](std::uint32_t i) {
        const std::uint64_t bit = std::uint64_t{1} << i;
        conditions = meets(tokens, shape.conditions[i].threshold) ? conditions | bit : conditions & ~bit;
    });
    return conditions == state(cell)->conditions ? state(cell)
                                                 : states_.find(cells_->shape[cell], conditions);
}

const CellState* RunningCells::state_flipped(std::uint32_t cell, std::uint32_t place, Tokens delta) {
    if (delta != (is_marked(cell, place) ? -1 : 1)) return nullptr;
    return states_.find(cells_->shape[cell], state(cell)->conditions ^ place_in(cell, place).conditions);
}

void RunningCells::settle_flips(std::uint32_t cell, Tokens* marking) const {
    const auto& places = shape_of(cell).places;
    for (std::size_t slot = 0; slot < places.size(); ++slot) {
        if (places[slot].flips)
            marking[runs_[cell].slots[slot]] = places[slot].is_marked(state(cell)->conditions) ? 1 : 0;
    }
}

const CellShape::Slot& RunningCells::place_in(std::uint32_t cell, std::uint32_t place) const {
    const auto places = places_of(cell);
    const auto slot = std::lower_bound(places.begin(), places.end(), place) - places.begin();
    return shape_of(cell).places[static_cast<std::size_t>(slot)];
}

}  // namespace warpnet
