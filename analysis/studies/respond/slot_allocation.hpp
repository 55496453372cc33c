#pragma once

#include "netgen/blocks/task_set.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpnet::studies {

/// One event of the algorithm: blocks that are allocated together, and the state behind it.
struct AllocationStep {
    std::size_t job = 0;      ///< the holder; jobs in the order of their allocation
    netgen::Time time = 0;    ///< t_a
    std::int64_t blocks = 0;  ///< allocated
    std::int64_t free = 0;    ///< g_f
    std::vector<std::pair<netgen::Time, std::int64_t>>
        busy;  ///< h: times and the slots that become free then, latest first
};

/// The response-time algorithm of [Paredes19] section 3.5 (algorithm 2): kernels of one queue, in order, on
/// g_max interchangeable block slots. State: t_a, the time at which the next block can be allocated; g_f, the
/// slots free then; h, how many more become free when.
///
/// The algorithm as printed is corrected: a pair (time, slots) used from h is removed, all of
/// the same time together; pairs of no slots are not kept; a kernel released later than t_a moves t_a to its
/// release. As printed, the thesis's own example (C = 4, 6, 6, 5, g = 2, 7, 2, 5) gives 4, 10, 10, 9 instead
/// of 4, 10, 12, 11, and (C, g) = (9, 1), (1, 1) on one slot never ends.
class SlotAllocator {
  public:
    explicit SlotAllocator(std::int64_t slots) : free_(slots) {}

    struct Allocation {
        netgen::Time start;       ///< of the first block
        netgen::Time dispatched;  ///< start of the last block
        netgen::Time completion;
    };

    /// Allocates a kernel of `blocks` blocks of `time` each, after all earlier kernels. Cost: the number of
    /// times in h that it uses up, each with an insertion; with `steps`, to which its events are added as job
    /// number `job`, a copy of h for each.
    Allocation allocate(netgen::Time release, netgen::Time time, std::int64_t blocks,
                        std::vector<AllocationStep>* steps = nullptr, std::size_t job = 0);

    netgen::Time next_allocation() const noexcept { return next_; }  ///< t_a
    std::int64_t free_slots() const noexcept { return free_; }       ///< g_f
    /// h, latest time first.
    const std::vector<std::pair<netgen::Time, std::int64_t>>& busy() const noexcept { return busy_; }

    // A false alarm of clang-tidy: the 0 comes from the compiler.
    auto operator<=>(const SlotAllocator&) const = default;  // NOLINT(modernize-use-nullptr)

  private:
    void advance_to(netgen::Time time);
    void occupy_until(netgen::Time end, std::int64_t slots);

    netgen::Time next_ = 0;
    std::int64_t free_;
    std::vector<std::pair<netgen::Time, std::int64_t>> busy_;
};

/// The number of blocks that the GPU holds if blocks of all kernels are interchangeable: all need the same
/// resources, or block slots run out first. Absent: they are not, and the text gives the reason.
struct SlotModel {
    std::optional<std::int64_t> slots;
    std::string reason;  ///< in words, for readers: the assumption, or its contradiction
};
SlotModel slot_model(const netgen::TaskSet& tasks);

/// Kernels of equal block time C released together ([Paredes19] section 3.7): kernel i completes at
/// release + C ceil((g_1 + ... + g_i) / g_max). Corrects equations 3.12-3.15, which take half a C too much if
/// g_i = g_f and a whole C if g_max divides g_i - g_f > 0. `before` = g_1 + ... + g_(i-1).
SlotAllocator::Allocation equal_time_allocation(netgen::Time release, netgen::Time time, std::int64_t slots,
                                                std::int64_t before, std::int64_t blocks);

}  // namespace warpnet::studies
