#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpnet {

/// What is still to happen to a few counters and when components arrive: a timing wheel with a slot for every
/// step up to a horizon, and a bit per slot that is in use.
class ComponentCalendar {
  public:
    static constexpr std::uint32_t nobody = 0xffffffff;

    /// `horizon`: how many steps ahead anything is ever put.
    ComponentCalendar(std::size_t components, std::size_t counters, std::uint64_t horizon)
        : mask_(std::bit_ceil(std::max<std::uint64_t>(horizon + 2, 64)) - 1),
          counters_(counters + counters % 2),
          deltas_((mask_ + 1) * counters_, 0),
          first_(mask_ + 1, nobody),
          next_(components, nobody),
          busy_((mask_ + 1) / 64, 0) {}

    void add(std::uint64_t step, std::uint32_t counter, std::int32_t delta) noexcept {
        deltas_[(step & mask_) * counters_ + counter] += delta;
        mark(step);
    }
    void arrive(std::uint64_t step, std::uint32_t component) noexcept {
        std::uint32_t& first = first_[step & mask_];
        next_[component] = first;
        first = component;
        mark(step);
    }

    bool empty() const noexcept { return used_ == 0; }
    bool is_due(std::uint64_t step) const noexcept {
        return ((busy_[(step & mask_) / 64] >> (step % 64)) & 1) != 0;
    }

    /// The first step from `step` on at which something happens; needs !empty().
    std::uint64_t next_due(std::uint64_t step) const noexcept {
        std::size_t word = (step & mask_) / 64;
        const std::uint64_t rest = busy_[word] >> (step % 64);
        if (rest != 0) return step + static_cast<std::uint64_t>(std::countr_zero(rest));
        step = (step | 63) + 1;
        for (;; step += 64) {
            word = (step & mask_) / 64;
            if (busy_[word] != 0) return step + static_cast<std::uint64_t>(std::countr_zero(busy_[word]));
        }
    }

    /// How many counters take() adds to: one more than there are where their number is odd.
    std::size_t counters() const noexcept { return counters_; }

    /// Adds what is due to the counters and calls arrived(component); empties the slot. Nothing may be put
    /// into the slot meanwhile.
    template <class Arrived>
    void take(std::uint64_t step, std::int64_t* counters, Arrived&& arrived) {
        const std::size_t slot = step & mask_;
        std::int64_t* deltas = deltas_.data() + slot * counters_;
        for (const std::int64_t* const end = deltas + counters_; deltas != end; deltas += 2, counters += 2) {
            counters[0] += deltas[0];
            counters[1] += deltas[1];
            deltas[0] = deltas[1] = 0;
        }
        busy_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
        --used_;
        std::uint32_t component = first_[slot];
        first_[slot] = nobody;
        while (component != nobody) {
            const std::uint32_t next = next_[component];
            arrived(component);
            component = next;
        }
    }

  private:
    void mark(std::uint64_t step) noexcept {
        std::uint64_t& word = busy_[(step & mask_) / 64];
        const std::uint64_t bit = std::uint64_t{1} << (step % 64);
        used_ += (word & bit) == 0 ? 1 : 0;
        word |= bit;
    }

    std::uint64_t mask_;
    std::size_t counters_;
    std::vector<std::int64_t> deltas_;  // per slot and counter, an even number of them
    std::vector<std::uint32_t> first_;  // per slot: the first that arrives
    std::vector<std::uint32_t> next_;   // per component: who arrives in the same slot
    std::vector<std::uint64_t> busy_;
    std::size_t used_ = 0;  // slots
};

}  // namespace warpnet
