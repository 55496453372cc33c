#pragma once

#include "analysis/worst/exact/packed_states.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpnet {

/// PackedStates with a value and the state that each was reached from.
class StateTable {
  public:
    explicit StateTable(std::size_t words) : states_(words) {}

    std::size_t size() const noexcept { return states_.size(); }
    const std::uint64_t* state(std::size_t number) const noexcept { return states_.state(number); }
    std::uint64_t value(std::size_t number) const noexcept { return values_[number]; }
    std::uint64_t parent(std::size_t number) const noexcept { return parents_[number]; }
    std::uint64_t bytes() const noexcept {
        return states_.bytes() + values_.capacity() * 4 + parents_.capacity() * 8;
    }

    /// Adds a state, or gives a known one the better value and its parent. Says whether it is new.
    template <class Better>
    bool put(const std::uint64_t* state, std::uint64_t hash, std::uint32_t value, std::uint64_t parent,
             Better&& better) {
        const std::uint32_t number = states_.put(state, hash);
        if (number == values_.size()) {
            values_.push_back(value);
            parents_.push_back(parent);
            return true;
        }
        if (better(value, values_[number])) {
            values_[number] = value;
            parents_[number] = parent;
        }
        return false;
    }

    /// Keeps only what leads back to the beginning.
    void freeze() {
        states_.freeze();
        values_ = std::vector<std::uint32_t>();
        parents_.shrink_to_fit();
    }

  private:
    PackedStates states_;
    std::vector<std::uint32_t> values_;
    std::vector<std::uint64_t> parents_;
};

}  // namespace warpnet
