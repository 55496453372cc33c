#pragma once

#include "netgen/kernel/kernel.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet::worst {

/// The numbers of instructions that may execute together in one cycle: the maximal-step rule of an instance,
/// with warps abstracted to ready numbers.
///
/// A *class* is the instructions of one type and one fairness level; classes are sorted by (level, type).
/// Given the number of ready warps per class, a *step* is the number of each class that executes. Ready
/// numbers beyond the capacity make no difference, so all answers are tabulated by clipped ready numbers.
class StepRule {
  public:
    /// O(number of clipped ready vectors). Throws InputError for an invalid instance, and std::length_error
    /// if the table would exceed some ten million entries.
    explicit StepRule(const netgen::KernelInstance& instance);

    int classes() const noexcept { return static_cast<int>(clip_.size()); }
    int class_of(std::size_t instruction) const { return class_of_[instruction]; }
    /// Most instructions of a class that can execute in one cycle.
    int most(int cls) const { return clip_[static_cast<std::size_t>(cls)]; }
    /// Most instructions of all classes together that can execute in one cycle, with all the warps ready.
    int most_together() const noexcept { return most_together_; }

    /// All maximal steps for these ready numbers in sequence, `classes()` numbers each. With nothing ready
    /// the only step is the empty one.
    std::span<const std::uint8_t> steps(std::span<const int> ready) const {
        std::size_t key = 0;
        for (std::size_t c = 0; c < clip_.size(); ++c)
            key = key * (std::size_t(clip_[c]) + 1) + std::size_t(ready[c] < clip_[c] ? ready[c] : clip_[c]);
        return {steps_.data() + first_[key], first_[key + 1] - first_[key]};
    }

  private:
    std::vector<int> class_of_;  // per instruction
    std::vector<int> clip_;      // per class
    int most_together_ = 0;
    std::vector<std::uint8_t> steps_;
    std::vector<std::size_t> first_;  // per clipped ready vector, and one past the last
};

}  // namespace warpnet::worst
