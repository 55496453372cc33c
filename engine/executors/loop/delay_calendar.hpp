#pragma once

#include "engine/base/busy_slots.hpp"
#include "engine/base/no_index.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace warpnet {

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
