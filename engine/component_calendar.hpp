#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// What is still to happen to a few counters and when components arrive: a timing wheel with a slot for every
/// step up to a horizon, and a bit per slot that is in use.
class ComponentCalendar {
  public:
    static constexpr std::uint32_t nobody = 0xffffffff;

    /// `timed`: the counters, two and two; `horizon`: how many steps ahead anything is ever put.
    ComponentCalendar(std::size_t components, std::span<const std::uint32_t> timed, std::uint64_t horizon)
        : mask_(std::bit_ceil(std::max<std::uint64_t>(horizon + 2, 64)) - 1),
          stride_(mask_ + 1 + 8),
          timed_(timed),
          deltas_(stride_ * timed.size() / 2, 0),
          first_(mask_ + 1, nobody),
          next_(components, nobody),
          busy_((mask_ + 1) / 64, 0) {}

    /// Somebody must be on the way until then or longer.
    void add(std::uint64_t step, std::uint32_t pair, std::int64_t deltas) noexcept {
        deltas_[pair * stride_ + (step & mask_)] += deltas;
        mark(step);
    }
    void arrive(std::uint64_t step, std::uint32_t component) noexcept {
        std::uint32_t& first = first_[step & mask_];
        next_[component] = first;
        first = component;
        mark(step);
        ++on_the_way_;
    }

    bool empty() const noexcept { return on_the_way_ == 0; }
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

    /// Adds what is due to the counters and calls arrived(component); empties the slot. Nothing may be put
    /// into the slot meanwhile.
    template <class Arrived>
    void take(std::uint64_t step, std::int64_t* counters, Arrived&& arrived) {
        const std::size_t slot = step & mask_;
        std::int64_t* deltas = deltas_.data() + slot;
        for (std::size_t i = 0; i < timed_.size(); i += 2, deltas += stride_) {
            const auto low = static_cast<std::int32_t>(*deltas);
            counters[timed_[i]] += low;
            counters[timed_[i + 1]] += (*deltas - low) >> 32;
            *deltas = 0;
        }
        busy_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
        std::uint32_t component = first_[slot];
        first_[slot] = nobody;
        while (component != nobody) {
            const std::uint32_t next = next_[component];
            --on_the_way_;
            arrived(component);
            component = next;
        }
    }

  private:
    void mark(std::uint64_t step) noexcept { busy_[(step & mask_) / 64] |= std::uint64_t{1} << (step % 64); }

    std::uint64_t mask_;
    std::size_t stride_;  // no power of two, which would crowd a few cache lines
    std::span<const std::uint32_t> timed_;
    std::vector<std::int64_t> deltas_;  // per pair of counters and slot
    std::vector<std::uint32_t> first_;  // per slot: the first that arrives
    std::vector<std::uint32_t> next_;   // per component: who arrives in the same slot
    std::vector<std::uint64_t> busy_;
    std::size_t on_the_way_ = 0;  // components that are to arrive
};

}  // namespace warpnet
