#pragma once

#include "engine/base/random.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// Packed states, each once, with a value and the state that it was reached from. Numbered in the order in
/// which they were put in.
class StateTable {
  public:
    explicit StateTable(std::size_t words) : words_(words) {}

    std::size_t size() const noexcept { return values_.size(); }
    const std::uint64_t* state(std::size_t number) const noexcept { return states_.data() + number * words_; }
    std::uint64_t value(std::size_t number) const noexcept { return values_[number]; }
    std::uint64_t parent(std::size_t number) const noexcept { return parents_[number]; }
    std::uint64_t bytes() const noexcept {
        return states_.capacity() * 8 + values_.capacity() * 4 + parents_.capacity() * 8 +
               slots_.capacity() * 4;
    }

    /// Adds a state, or gives a known one the better value and its parent. Says whether it is new.
    template <class Better>
    bool put(const std::uint64_t* state, std::uint64_t hash, std::uint32_t value, std::uint64_t parent,
             Better&& better) {
        if (2 * (size() + 1) > slots_.size()) grow();
        for (std::size_t slot = first_slot(hash);; slot = (slot + 1) & (slots_.size() - 1)) {
            const std::uint32_t known = slots_[slot];
            if (known == free) {
                slots_[slot] = static_cast<std::uint32_t>(size());
                states_.insert(states_.end(), state, state + words_);
                values_.push_back(value);
                parents_.push_back(parent);
                return true;
            }
            if (!std::equal(state, state + words_, this->state(known))) continue;
            if (better(value, values_[known])) {
                values_[known] = value;
                parents_[known] = parent;
            }
            return false;
        }
    }

    /// Keeps only what leads back to the beginning.
    void freeze() {
        slots_ = std::vector<std::uint32_t>();
        values_ = std::vector<std::uint32_t>();
        states_.shrink_to_fit();
        parents_.shrink_to_fit();
    }

    static std::uint64_t hash(const std::uint64_t* state, std::size_t words) noexcept {
        std::uint64_t hash = 0;
        for (std::size_t i = 0; i < words; ++i) hash = mix_bits(hash + golden_ratio_64 + state[i]);
        return hash;
    }

  private:
    static constexpr std::uint32_t free = 0xffffffff;

    /// The lowest bits are for whoever divides states among several tables.
    std::size_t first_slot(std::uint64_t hash) const noexcept { return hash >> 8 & (slots_.size() - 1); }

    void grow() {
        slots_.assign(std::max<std::size_t>(16, 2 * slots_.size()), free);
        for (std::size_t i = 0; i < size(); ++i) {
            std::size_t slot = first_slot(hash(state(i), words_));
            while (slots_[slot] != free) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = static_cast<std::uint32_t>(i);
        }
    }

    std::size_t words_;
    std::vector<std::uint64_t> states_;
    std::vector<std::uint32_t> values_;
    std::vector<std::uint64_t> parents_;
    std::vector<std::uint32_t> slots_;
};

}  // namespace warpnet
