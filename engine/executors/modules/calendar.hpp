#pragma once

#include "engine/base/no_index.hpp"
#include "engine/executors/loop/running_delays.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// Inserts a module at the head of the list of arrivals of a slot; `first` is this head.
inline void join_slot(std::int64_t& first, std::uint32_t* next, std::uint32_t module) noexcept {
    next[module] = static_cast<std::uint32_t>(first);
    first = module;
}

/// A ModuleCalendar with one pair of counters, released to a loop that keeps as much of it as possible in
/// registers. `Busy` is BusyWord if there are 64 slots, and BusyWords otherwise. It does not count the
/// modules on the way.
template <class Busy>
struct PairCalendar {
    std::int64_t* rows;
    std::uint32_t* next;
    Busy busy;

    void add(std::uint64_t step, std::int64_t deltas) noexcept {
        row(step)[1] += deltas;
        busy.mark(step);
    }
    /// Adds `deltas` to the pair, and lets a module arrive, each this many steps after `step`.
    void add_and_arrive(std::uint64_t step, std::uint32_t added_after, std::int64_t deltas,
                        std::uint32_t arrives_after, std::uint32_t module) noexcept {
        row(step + added_after)[1] += deltas;
        join_slot(*row(step + arrives_after), next, module);
        busy.mark_after(step, added_after, arrives_after);
    }
    /// Adds the due deltas to the pair and empties the slot. Returns the first module that arrives; `next`
    /// leads to the remaining modules.
    std::uint32_t take(std::uint64_t step, std::int64_t& pair) noexcept;

  private:
    std::int64_t* row(std::uint64_t step) const noexcept { return rows + 2 * busy.slot(step); }
};

/// The future changes of a few counters and the arrivals of modules: a timing wheel with one slot per step up
/// to a horizon, and one bit per used slot. Unlike DelayCalendar it needs no heap, since nothing is scheduled
/// beyond the horizon, and no removal.
class ModuleCalendar {
  public:
    /// `timed`: the counters, two per pair; `horizon`: the largest distance of an entry, in steps.
    ModuleCalendar(std::size_t modules, std::span<const std::uint32_t> timed, std::uint64_t horizon)
        : busy_(horizon + 2),
          row_size_(1 + timed.size() / 2),
          row_bits_(static_cast<std::uint32_t>(std::bit_width(row_size_ - 1))),
          timed_(timed),
          rows_(busy_.size() << row_bits_, 0),
          next_(modules, no_index) {
        for (std::uint64_t slot = 0; slot < busy_.size(); ++slot) *row(slot) = no_index;
    }

    /// Releases the calendar to `loop` and takes it back. `loop` returns the number of modules on the way.
    /// REQUIRES: one pair of counters.
    template <class Loop>
    void release(Loop&& loop) {
        const BusyWords<std::uint64_t> busy = busy_.words();
        if (busy_.size() > 64) {
            PairCalendar<BusyWords<std::uint64_t>> released{rows_.data(), next_.data(), busy};
            on_the_way_ = loop(released);
        } else {
            PairCalendar<BusyWord> released{rows_.data(), next_.data(), {*busy.words}};
            on_the_way_ = loop(released);
            *busy.words = released.busy.bits;
        }
    }

    /// REQUIRES: a module is on the way until this step or longer.
    void add(std::uint64_t step, std::uint32_t pair, std::int64_t deltas) noexcept {
        row(step)[1 + pair] += deltas;
        busy_.mark(step);
    }
    void arrive(std::uint64_t step, std::uint32_t module) noexcept {
        join_slot(*row(step), next_.data(), module);
        busy_.mark(step);
        ++on_the_way_;
    }

    /// Removes all entries. O(slots / 64 + slots in use).
    void clear() noexcept {
        busy_.clear_all([this](std::uint64_t slot) {
            std::int64_t* const first = row(slot);
            std::fill(first, first + row_size_, 0);
            *first = no_index;
        });
        on_the_way_ = 0;
    }

    std::size_t on_the_way() const noexcept { return on_the_way_; }
    bool empty() const noexcept { return on_the_way_ == 0; }
    bool is_due(std::uint64_t step) const noexcept { return busy_.is_busy(step); }

    /// The first step from `step` on with an entry. REQUIRES: !empty().
    std::uint64_t next_due(std::uint64_t step) const noexcept { return busy_.next(step); }

    /// Adds the due deltas to the counters, empties the slot and calls arrived(module) for each arrival.
    /// arrived() must not add entries to this slot.
    template <class Arrived>
    void take(std::uint64_t step, std::int64_t* counters, Arrived&& arrived) {
        std::int64_t* const due = row(step);
        auto module = static_cast<std::uint32_t>(due[0]);
        due[0] = no_index;
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
        busy_.clear(step);
        while (module != no_index) {
            const std::uint32_t next = next_[module];
            --on_the_way_;
            arrived(module);
            module = next;
        }
    }

  private:
    std::int64_t* row(std::uint64_t step) noexcept { return rows_.data() + (busy_.slot(step) << row_bits_); }

    BusySlots busy_;
    std::size_t row_size_;
    std::uint32_t row_bits_;  // rows begin at multiples of a power of two
    std::span<const std::uint32_t> timed_;
    std::vector<std::int64_t> rows_;   // per slot: the first arrival, then the deltas per pair of counters
    std::vector<std::uint32_t> next_;  // per module: the next arrival in the same slot
    std::size_t on_the_way_ = 0;       // modules that have not arrived yet
};

template <class Busy>
std::uint32_t PairCalendar<Busy>::take(std::uint64_t step, std::int64_t& pair) noexcept {
    std::int64_t* const due = row(step);
    const auto first = static_cast<std::uint32_t>(due[0]);
    pair += due[1];
    due[0] = no_index;
    due[1] = 0;
    busy.clear(step);
    return first;
}

}  // namespace warpnet
