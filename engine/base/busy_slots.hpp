#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpnet {

/// Which slots of a timing wheel hold something: a bit per slot. A step stands in the slot of its number
/// modulo their count, so that steps which are told apart lie less than size() steps from each other.
class BusySlots {
  public:
    /// At least `count` slots: a power of two, 64 or more.
    explicit BusySlots(std::uint64_t count)
        : mask_(std::bit_ceil(std::max<std::uint64_t>(count, 64)) - 1), words_((mask_ + 1) / 64, 0) {}

    std::uint64_t size() const noexcept { return mask_ + 1; }
    std::uint64_t slot(std::uint64_t step) const noexcept { return step & mask_; }

    void mark(std::uint64_t step) noexcept { word(step) |= bit(step); }
    void clear(std::uint64_t step) noexcept { word(step) &= ~bit(step); }
    bool is_busy(std::uint64_t step) const noexcept {
        return (words_[slot(step) / 64] >> (step % 64) & 1) != 0;
    }

    /// The first step from `step` on whose slot is busy; one must be. Cost: a word for 64 slots that are
    /// passed.
    std::uint64_t next(std::uint64_t step) const noexcept {
        const std::uint64_t rest = words_[slot(step) / 64] >> (step % 64);
        if (rest != 0) return step + static_cast<std::uint64_t>(std::countr_zero(rest));
        for (step = (step | 63) + 1;; step += 64) {
            const std::uint64_t bits = words_[slot(step) / 64];
            if (bits != 0) return step + static_cast<std::uint64_t>(std::countr_zero(bits));
        }
    }

    /// Calls visit(slot) for all that are busy; afterwards none is.
    template <class Visit>
    void clear_all(Visit&& visit) {
        for (std::size_t word = 0; word < words_.size(); ++word) {
            for (std::uint64_t rest = words_[word]; rest != 0; rest &= rest - 1)
                visit(64 * word + static_cast<std::uint64_t>(std::countr_zero(rest)));
            words_[word] = 0;
        }
    }

  private:
    std::uint64_t& word(std::uint64_t step) noexcept { return words_[slot(step) / 64]; }
    static std::uint64_t bit(std::uint64_t step) noexcept { return std::uint64_t{1} << (step % 64); }

    std::uint64_t mask_;
    std::vector<std::uint64_t> words_;
};

}  // namespace warpnet
