#pragma once

#include "engine/base/random.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpnet {

/// Packed states, each once, numbered in the order in which they were put in.
class PackedStates {
  public:
    explicit PackedStates(std::size_t words) : words_(words) {}

    std::size_t size() const noexcept { return size_; }
    const std::uint64_t* state(std::size_t number) const noexcept { return states_.data() + number * words_; }
    std::uint64_t bytes() const noexcept { return states_.capacity() * 8 + slots_.capacity() * 4; }

    /// The number of a state, which is added where it is new: its number is then what size() was.
    std::uint32_t put(const std::uint64_t* state, std::uint64_t hash) {
        if (2 * (size() + 1) > slots_.size()) grow();
        std::size_t slot = first_slot(hash);
        for (; slots_[slot] != free; slot = (slot + 1) & (slots_.size() - 1))
            if (std::equal(state, state + words_, this->state(slots_[slot]))) return slots_[slot];
        slots_[slot] = size_;
        states_.insert(states_.end(), state, state + words_);
        return size_++;
    }

    /// Nothing can be put in any more.
    void freeze() {
        slots_ = std::vector<std::uint32_t>();
        states_.shrink_to_fit();
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
        for (std::uint32_t i = 0; i < size_; ++i) {
            std::size_t slot = first_slot(hash(state(i), words_));
            while (slots_[slot] != free) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = i;
        }
    }

    std::size_t words_;
    std::uint32_t size_ = 0;
    std::vector<std::uint64_t> states_;
    std::vector<std::uint32_t> slots_;  // numbers, or free
};

}  // namespace warpnet
