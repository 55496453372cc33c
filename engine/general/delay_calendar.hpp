#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace warpnet {

/// When delay gadgets end: a timing wheel of 1024 slots for what is near, a heap for what is far. Each gadget
/// stands in it at most once. Scheduling and taking are constant time for delays below 1024 steps; finding
/// the next due step looks at 16 words at most.
class DelayCalendar {
  public:
    static constexpr std::uint64_t nothing_due = ~std::uint64_t{0};

    explicit DelayCalendar(std::size_t gadgets) : next_(gadgets, none), first_(slots, none) {}

    /// Needs due > now, where all that was due up to `now` has been taken.
    void schedule(std::uint32_t gadget, std::uint64_t due, std::uint64_t now) {
        if (due - now < slots) {
            const std::uint64_t slot = due % slots;
            next_[gadget] = first_[slot];
            first_[slot] = gadget;
            busy_[slot / 64] |= std::uint64_t{1} << (slot % 64);
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

    /// Removes the gadgets that end at step `now` and appends them to `ended`.
    void take_due(std::uint64_t now, std::vector<std::uint32_t>& ended) {
        const std::uint64_t slot = now % slots;
        if ((busy_[slot / 64] >> (slot % 64) & 1) != 0) {
            for (std::uint32_t gadget = first_[slot]; gadget != none; gadget = next_[gadget]) {
                ended.push_back(gadget);
                --near_;
            }
            first_[slot] = none;
            busy_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
        }
        for (; !far_.empty() && far_.top().first == now; far_.pop()) ended.push_back(far_.top().second);
    }

    /// Takes one gadget out. Linear in the number of gadgets; happens when a second token enters a gadget.
    void cancel(std::uint32_t gadget, std::uint64_t due) {
        next_due_ = 0;
        const std::uint64_t slot = due % slots;
        for (std::uint32_t* link = &first_[slot]; *link != none; link = &next_[*link]) {
            if (*link != gadget) continue;
            *link = next_[gadget];
            --near_;
            if (first_[slot] == none) busy_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
            return;
        }
        std::vector<std::pair<std::uint64_t, std::uint32_t>> kept;
        for (; !far_.empty(); far_.pop()) {
            if (far_.top().second != gadget) kept.push_back(far_.top());
        }
        for (const auto& entry : kept) far_.push(entry);
    }

  private:
    static constexpr std::uint64_t slots = 1024;
    static constexpr std::uint64_t words = slots / 64;
    static constexpr std::uint32_t none = 0xffffffff;
    std::uint64_t find_next_due(std::uint64_t now) const noexcept {
        const std::uint64_t far_due = far_.empty() ? nothing_due : far_.top().first;
        if (near_ == 0) return far_due;
        const std::uint64_t start = (now + 1) % slots;
        std::uint64_t word = start / 64;
        std::uint64_t bits = busy_[word] & (~std::uint64_t{0} << (start % 64));
        while (bits == 0) {
            word = (word + 1) % words;
            bits = busy_[word];
        }
        const std::uint64_t slot = word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits));
        const std::uint64_t near_due = now + 1 + (slot + slots - start) % slots;
        return near_due < far_due ? near_due : far_due;
    }

    using Entry = std::pair<std::uint64_t, std::uint32_t>;  // due, gadget

    std::vector<std::uint32_t> next_;   // per gadget: the one behind it in its slot
    std::vector<std::uint32_t> first_;  // per slot
    std::uint64_t busy_[words] = {};
    std::size_t near_ = 0;
    std::uint64_t next_due_ = nothing_due;  // not after it is now: to be found
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> far_;
};

}  // namespace warpnet
