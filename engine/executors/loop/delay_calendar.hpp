#pragma once

#include "engine/base/no_index.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
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

/// The ends of delay gadgets: a timing wheel of 1024 slots for near ends, and a heap for distant ones. A
/// gadget has at most one entry. Entries of less than 1024 steps are scheduled and taken in constant time.
/// Finding the next due step reads at most 16 words. ModuleCalendar shares the wheel but not the heap, since
/// modules never schedule anything beyond a horizon.
class DelayCalendar {
  public:
    static constexpr std::uint64_t nothing_due = ~std::uint64_t{0};

    explicit DelayCalendar(std::size_t gadgets)
        : next_(gadgets, no_index), first_(slots, no_index), busy_(slots) {}

    /// REQUIRES: due > now, and everything due up to `now` has been taken.
    void schedule(std::uint32_t gadget, std::uint64_t due, std::uint64_t now) {
        if (due - now < slots) {
            std::uint32_t& first = first_[busy_.slot(due)];
            next_[gadget] = first;
            first = gadget;
            busy_.mark(due);
            ++near_;
        } else {
            far_.emplace(due, gadget);
        }
        next_due_ = std::min(next_due_, due);
    }

    /// The first step after `now` at which a gadget ends, or nothing_due.
    std::uint64_t next_due(std::uint64_t now) noexcept {
        if (next_due_ <= now) next_due_ = find_next_due(now);
        return next_due_;
    }

    /// Removes the gadgets that end at step `now` and calls visit(gadget) for each. visit() must not schedule
    /// gadgets.
    template <class Visit>
    void take_due(std::uint64_t now, Visit&& visit) {
        if (busy_.is_busy(now)) {
            std::uint32_t& first = first_[busy_.slot(now)];
            for (std::uint32_t gadget = first; gadget != no_index; gadget = next_[gadget]) {
                --near_;
                visit(gadget);
            }
            first = no_index;
            busy_.clear(now);
        }
        for (; !far_.empty() && far_.top().first == now; far_.pop()) visit(far_.top().second);
    }

    /// Removes one gadget. Linear in the number of gadgets; needed only if a second token enters a gadget.
    void cancel(std::uint32_t gadget, std::uint64_t due) {
        next_due_ = 0;
        std::uint32_t& first = first_[busy_.slot(due)];
        for (std::uint32_t* link = &first; *link != no_index; link = &next_[*link]) {
            if (*link != gadget) continue;
            *link = next_[gadget];
            --near_;
            if (first == no_index) busy_.clear(due);
            return;
        }
        std::vector<std::pair<std::uint64_t, std::uint32_t>> kept;
        for (; !far_.empty(); far_.pop()) {
            if (far_.top().second != gadget) kept.push_back(far_.top());
        }
        for (const auto& entry : kept) far_.push(entry);
    }

    /// The gadget that follows this one in its slot, for comparisons between calendars.
    std::uint32_t behind(std::uint32_t gadget) const noexcept { return next_[gadget]; }

  private:
    static constexpr std::uint64_t slots = 1024;

    std::uint64_t find_next_due(std::uint64_t now) const noexcept {
        const std::uint64_t far_due = far_.empty() ? nothing_due : far_.top().first;
        return near_ == 0 ? far_due : std::min(busy_.next(now + 1), far_due);
    }

    using Entry = std::pair<std::uint64_t, std::uint32_t>;  // due, gadget

    std::vector<std::uint32_t> next_;   // per gadget: the next one in its slot
    std::vector<std::uint32_t> first_;  // per slot
    BusySlots busy_;
    std::size_t near_ = 0;
    std::uint64_t next_due_ = nothing_due;  // must be found anew if it is not after the current step
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> far_;
};

}  // namespace warpnet
