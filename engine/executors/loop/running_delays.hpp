#pragma once

#include "engine/base/no_index.hpp"
#include "engine/compile/compiled_net.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
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

/// The delay gadgets that a run skips: their starts, their ends and the firings of their transitions. So a
/// delay costs the same whatever its length. While a gadget runs, its places keep the tokens from its start.
/// The owner of the marking passes them to settle() to bring them up to date.
class RunningDelays {
  public:
    static constexpr std::uint64_t nothing_due = DelayCalendar::nothing_due;

    /// `skipped`: whether gadgets are skipped; if not, this object contains none.
    RunningDelays(const CompiledNet& net, bool skipped);

    bool empty() const noexcept { return delays_.empty(); }
    std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(delays_.size()); }
    /// The gadget of a place `wait`; size() for any other place.
    std::uint32_t at(std::uint32_t place) const noexcept { return at_[place]; }

    bool is_running(std::uint32_t gadget) const noexcept { return delays_[gadget].due != 0; }
    /// Starts the gadgets with a token in `wait` in the initial marking.
    void start_initial(const Marking& initial);
    /// A token has entered a gadget in step `now`, and `wait` is the number of tokens there. Starts the
    /// gadget. Returns false if the gadget runs or holds other tokens, and must be executed like the rest of
    /// the net.
    bool enter(std::uint32_t gadget, Tokens wait, std::uint64_t now) {
        if (is_running(gadget) || wait != 1) return false;
        start(gadget, now);
        return true;
    }
    /// The same. REQUIRES: no other token is in the gadget.
    void start(std::uint32_t gadget, std::uint64_t now) {
        start(gadget, now, now + static_cast<std::uint64_t>((*gadgets_)[gadget].length));
    }
    /// The same for a gadget whose end is known. REQUIRES: due > now.
    void start(std::uint32_t gadget, std::uint64_t now, std::uint64_t due) {
        delays_[gadget] = {now, due};
        calendar_.schedule(gadget, due, now);
    }
    /// REQUIRES: the gadget runs. Linear in the number of gadgets.
    void stop(std::uint32_t gadget) {
        calendar_.cancel(gadget, delays_[gadget].due);
        delays_[gadget].due = 0;
    }
    /// The number of steps since the start.
    std::uint64_t age(std::uint32_t gadget, std::uint64_t now) const noexcept {
        return now - delays_[gadget].started;
    }
    /// Moves the tokens of a running gadget to their places after step `now`. Returns the number of ticks
    /// made.
    std::uint64_t settle(std::uint32_t gadget, std::uint64_t now, Tokens& wait, Tokens& timer) {
        const std::uint64_t ticks = std::min(age(gadget, now), static_cast<std::uint64_t>(timer));
        wait += static_cast<Tokens>(ticks);
        timer -= static_cast<Tokens>(ticks);
        count(gadget, ticks, 0);
        return ticks;
    }

    /// The first step after `now` in which a gadget ends, or nothing_due.
    std::uint64_t next_due(std::uint64_t now) noexcept { return calendar_.next_due(now); }
    /// Ends the gadgets due at `now` and calls visit(gadget) for each. visit() must not start gadgets.
    template <class Visit>
    std::span<const std::uint32_t> end_due(std::uint64_t now, Visit&& visit) {
        ended_.clear();
        calendar_.take_due(now, [&](std::uint32_t gadget) {
            delays_[gadget].due = 0;
            ended_.push_back(gadget);
            visit(gadget);
        });
        return ended_;
    }
    std::span<const std::uint32_t> end_due(std::uint64_t now) {
        return end_due(now, [](std::uint32_t) {});
    }
    /// Restores the tokens of a gadget that has ended to those before its start, without the tokens that it
    /// gives to other places.
    void reset(std::uint32_t gadget, Tokens& wait, Tokens& timer) {
        count(gadget, static_cast<std::uint64_t>(timer), 1);
        wait = 0;
        timer = (*gadgets_)[gadget].length - 1;
    }
    /// The same for a gadget whose tokens are not stored, since it never holds more than one.
    void count_whole(std::uint32_t gadget, std::uint32_t length) { count(gadget, length - 1, 1); }
    /// The gadgets that the last end_due() ended.
    std::span<const std::uint32_t> ended() const noexcept { return ended_; }

    /// Whether the same gadgets run as in `earlier`, with starts and ends that are this many steps later and
    /// with the same order within a step.
    bool repeats(const RunningDelays& earlier, std::uint64_t later) const noexcept {
        for (std::uint32_t gadget = 0; gadget < size(); ++gadget) {
            if (is_running(gadget) != earlier.is_running(gadget)) return false;
            if (!is_running(gadget)) continue;
            const Delay now = delays_[gadget], before = earlier.delays_[gadget];
            if (now.due != before.due + later || now.started != before.started + later) return false;
            if (calendar_.behind(gadget) != earlier.calendar_.behind(gadget)) return false;
        }
        return true;
    }

    /// Firings of the gadgets' transitions: the total and, on request, per transition.
    std::uint64_t firings() const noexcept { return firings_; }
    void count_in(std::vector<std::uint64_t>* counts) noexcept { counts_ = counts; }

  private:
    struct Delay {
        std::uint64_t started = 0;
        std::uint64_t due = 0;  // 0: not running
    };

    void count(std::uint32_t gadget, std::uint64_t ticks, std::uint64_t ends) {
        firings_ += ticks + ends;
        if (counts_ == nullptr) return;
        (*counts_)[(*gadgets_)[gadget].tick] += ticks;
        (*counts_)[(*gadgets_)[gadget].done] += ends;
    }

    const std::vector<DelayGadget>* gadgets_;

    DelayCalendar calendar_;
    std::vector<Delay> delays_;      // per gadget
    std::vector<std::uint32_t> at_;  // per place
    std::vector<std::uint32_t> ended_;
    std::uint64_t firings_ = 0;
    std::vector<std::uint64_t>* counts_ = nullptr;
};

inline RunningDelays::RunningDelays(const CompiledNet& net, bool skipped)
    : gadgets_(&net.gadgets),
      calendar_(skipped ? net.gadgets.size() : 0),
      delays_(skipped ? net.gadgets.size() : 0) {
    if (delays_.empty()) return;
    at_.assign(net.place_count(), size());
    for (std::uint32_t gadget = 0; gadget < size(); ++gadget) at_[net.gadgets[gadget].wait] = gadget;
}

inline void RunningDelays::start_initial(const Marking& initial) {
    for (std::uint32_t gadget = 0; gadget < size(); ++gadget) {
        const DelayGadget& one = (*gadgets_)[gadget];
        if (initial[one.wait] != 0) start(gadget, 0, static_cast<std::uint64_t>(initial[one.timer]) + 1);
    }
}

}  // namespace warpnet
