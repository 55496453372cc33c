#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpnet {

/// Which slots of a timing wheel hold something: a bit per slot. A step stands in the slot of its number
/// modulo their count, so that steps which are told apart lie less than that from each other.
///
/// Here the bits of somebody else, of a power of two of slots, 64 or more.
template <class Word>
struct BusyWords {
    Word* words;
    std::uint64_t mask;  ///< number of slots - 1

    std::uint64_t slot(std::uint64_t step) const noexcept { return step & mask; }
    void mark(std::uint64_t step) const noexcept { words[slot(step) / 64] |= bit(step); }
    void mark_after(std::uint64_t step, std::uint32_t one, std::uint32_t other) const noexcept {
        mark(step + one);
        mark(step + other);
    }
    void clear(std::uint64_t step) const noexcept { words[slot(step) / 64] &= ~bit(step); }
    bool is_busy(std::uint64_t step) const noexcept {
        return (words[slot(step) / 64] >> (step % 64) & 1) != 0;
    }
    /// The first step from `step` on whose slot is busy; one must be. Cost: a word for 64 slots that are
    /// passed.
    std::uint64_t next(std::uint64_t step) const noexcept {
        const std::uint64_t rest = words[slot(step) / 64] >> (step % 64);
        if (rest != 0) return step + static_cast<std::uint64_t>(std::countr_zero(rest));
        for (step = (step | 63) + 1;; step += 64) {
            const std::uint64_t bits = words[slot(step) / 64];
            if (bits != 0) return step + static_cast<std::uint64_t>(std::countr_zero(bits));
        }
    }

  private:
    static std::uint64_t bit(std::uint64_t step) noexcept { return std::uint64_t{1} << (step % 64); }
};

/// The same of 64 slots: a word that a loop can keep in a register.
struct BusyWord {
    std::uint64_t bits;

    static std::uint64_t slot(std::uint64_t step) noexcept { return step % 64; }
    void mark(std::uint64_t step) noexcept { bits |= std::uint64_t{1} << slot(step); }
    /// Two steps, so many after `step`.
    void mark_after(std::uint64_t step, std::uint32_t one, std::uint32_t other) noexcept {
        const std::uint64_t both = std::uint64_t{1} << slot(one) | std::uint64_t{1} << slot(other);
        bits |= std::rotl(both, static_cast<int>(slot(step)));
    }
    void clear(std::uint64_t step) noexcept { bits &= ~(std::uint64_t{1} << slot(step)); }
    bool is_busy(std::uint64_t step) const noexcept { return (bits >> slot(step) & 1) != 0; }
    std::uint64_t next(std::uint64_t step) const noexcept {
        const auto turned = std::rotr(bits, static_cast<int>(slot(step)));
        return step + static_cast<std::uint64_t>(std::countr_zero(turned));
    }
};

/// BusyWords with memory of their own.
class BusySlots {
  public:
    /// At least `count` slots: a power of two, 64 or more.
    explicit BusySlots(std::uint64_t count)
        : mask_(std::bit_ceil(std::max<std::uint64_t>(count, 64)) - 1), words_((mask_ + 1) / 64, 0) {}

    std::uint64_t size() const noexcept { return mask_ + 1; }
    std::uint64_t slot(std::uint64_t step) const noexcept { return step & mask_; }

    BusyWords<std::uint64_t> words() noexcept { return {words_.data(), mask_}; }
    BusyWords<const std::uint64_t> words() const noexcept { return {words_.data(), mask_}; }

    void mark(std::uint64_t step) noexcept { words().mark(step); }
    void clear(std::uint64_t step) noexcept { words().clear(step); }
    bool is_busy(std::uint64_t step) const noexcept { return words().is_busy(step); }
    std::uint64_t next(std::uint64_t step) const noexcept { return words().next(step); }

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
    std::uint64_t mask_;
    std::vector<std::uint64_t> words_;
};

}  // namespace warpnet
