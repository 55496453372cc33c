#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpnet {

/// The used slots of a timing wheel, one bit per slot. A step has the slot of its number modulo the number of
/// slots, so the distance between pending steps must be smaller than that number.
///
/// This type refers to bits stored elsewhere, for a power of two of at least 64 slots.
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
    /// The first step from `step` on with a busy slot. REQUIRES: there is one. Costs one word per 64 slots
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

/// The same for 64 slots: one word, which a loop can keep in a register.
struct BusyWord {
    std::uint64_t bits;

    static std::uint64_t slot(std::uint64_t step) noexcept { return step % 64; }
    void mark(std::uint64_t step) noexcept { bits |= std::uint64_t{1} << slot(step); }
    /// Marks two steps, each this many steps after `step`.
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

/// BusyWords with their own memory.
class BusySlots {
  public:
    /// Has at least `count` slots: a power of two, at least 64.
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

    /// Calls visit(slot) for all busy slots and clears them.
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
