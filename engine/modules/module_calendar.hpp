#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// What is still to happen to a few counters and when modules arrive: a timing wheel with a slot for every
/// step up to a horizon, and a bit per slot that is in use.
class ModuleCalendar {
  public:
    static constexpr std::uint32_t nobody = 0xffffffff;

    /// `timed`: the counters, two and two; `horizon`: how many steps ahead anything is ever put.
    ModuleCalendar(std::size_t modules, std::span<const std::uint32_t> timed, std::uint64_t horizon)
        : mask_(std::bit_ceil(std::max<std::uint64_t>(horizon + 2, 64)) - 1),
          row_size_(1 + timed.size() / 2),
          row_bits_(static_cast<std::uint32_t>(std::bit_width(row_size_ - 1))),
          timed_(timed),
          rows_((mask_ + 1) << row_bits_, 0),
          next_(modules, nobody),
          busy_((mask_ + 1) / 64, 0) {
        for (std::uint64_t slot = 0; slot <= mask_; ++slot) *row(slot) = nobody;
    }

    /// Somebody must be on the way until then or longer.
    void add(std::uint64_t step, std::uint32_t pair, std::int64_t deltas) noexcept {
        const std::uint64_t slot = step & mask_;
        row(slot)[1 + pair] += deltas;
        mark(slot);
    }
    void arrive(std::uint64_t step, std::uint32_t module) noexcept {
        const std::uint64_t slot = step & mask_;
        std::int64_t& first = *row(slot);
        next_[module] = static_cast<std::uint32_t>(first);
        first = module;
        mark(slot);
        ++on_the_way_;
    }

    /// Forgets everything. O(slots / 64 + slots in use).
    void clear() noexcept {
        for (std::size_t word = 0; word < busy_.size(); ++word) {
            for (std::uint64_t rest = busy_[word]; rest != 0; rest &= rest - 1) {
                const std::size_t slot = 64 * word + static_cast<std::size_t>(std::countr_zero(rest));
                std::int64_t* const first = row(slot);
                std::fill(first, first + row_size_, 0);
                *first = nobody;
            }
            busy_[word] = 0;
        }
        on_the_way_ = 0;
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

    /// Adds what is due to the counters and calls arrived(module); empties the slot. Nothing may be put
    /// into the slot meanwhile.
    template <class Arrived>
    void take(std::uint64_t step, std::int64_t* counters, Arrived&& arrived) {
        const std::uint64_t slot = step & mask_;
        std::int64_t* const due = row(slot);
        auto module = static_cast<std::uint32_t>(due[0]);
        due[0] = nobody;
        const std::uint32_t* counter = timed_.data();
        std::size_t i = 1;
        do {
            const std::int64_t deltas = due[i];
            due[i] = 0;
            const auto low = static_cast<std::int32_t>(deltas);
            counters[counter[0]] += low;
            counters[counter[1]] += (deltas - low) >> 32;
            counter += 2;
        } while (++i < row_size_);
        busy_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
        while (module != nobody) {
            const std::uint32_t next = next_[module];
            --on_the_way_;
            arrived(module);
            module = next;
        }
    }

  private:
    void mark(std::uint64_t slot) noexcept { busy_[slot / 64] |= std::uint64_t{1} << (slot % 64); }

    std::int64_t* row(std::uint64_t slot) noexcept { return rows_.data() + (slot << row_bits_); }

    std::uint64_t mask_;
    std::size_t row_size_;
    std::uint32_t row_bits_;  // rows begin at multiples of a power of two
    std::span<const std::uint32_t> timed_;
    std::vector<std::int64_t> rows_;   // per slot: the first that arrives, then deltas per pair of counters
    std::vector<std::uint32_t> next_;  // per module: who arrives in the same slot
    std::vector<std::uint64_t> busy_;  // a bit per slot
    std::size_t on_the_way_ = 0;       // modules that are to arrive
};

}  // namespace warpnet
