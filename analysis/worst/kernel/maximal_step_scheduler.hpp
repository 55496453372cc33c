#pragma once

#include "analysis/worst/kernel/precedence_string.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// The maximal-step reading of a pseudo-precedence string, with the interface of SerialScheduler: in each
/// cycle the ready instructions are taken in the order (fairness level, position in the string) as far as the
/// capacities allow. Restarts at the first cycle in which a changed position could matter. O(W log W) a cycle
/// behind it.
class MaximalStepScheduler {
  public:
    /// The instance must be well-formed (check_instance).
    explicit MaximalStepScheduler(const KernelInstance& instance);

    /// As in SerialScheduler.
    int reset(PrecedenceString string);
    void propose(std::size_t first, std::span<const Warp> window);  ///< and evaluates it
    static void advance(std::span<MaximalStepScheduler* const>) {}
    bool evaluated() const noexcept { return true; }
    int candidate_makespan() const noexcept { return candidate_makespan_; }
    int evaluate(std::size_t first, std::span<const Warp> window);
    void accept();

    const PrecedenceString& string() const noexcept { return string_; }
    int makespan() const noexcept { return makespan_; }
    std::span<const std::uint32_t> cycles() const noexcept { return cycle_; }

  private:
    void number_positions(const PrecedenceString& string, std::vector<std::uint32_t>& next,
                          std::vector<std::uint32_t>& position) const;
    std::uint32_t first_cycle_touched() const;
    void run_from(std::uint32_t cycle);

    KernelInstance instance_;
    std::size_t warps_;
    std::size_t length_;

    PrecedenceString string_;
    std::vector<std::uint32_t> cycle_;     // per position of the current string
    std::vector<std::uint32_t> position_;  // [warp][instruction] in the current string
    std::vector<std::uint32_t> executed_;  // [warp][instruction]: cycle, of the current string
    int makespan_ = 0;

    std::size_t candidate_first_ = 0;
    PrecedenceString candidate_;
    std::vector<std::uint32_t> candidate_position_;
    std::vector<std::uint32_t> candidate_executed_;
    int candidate_makespan_ = 0;

    // For run_from.
    std::vector<std::uint32_t> next_;
    std::vector<std::pair<std::uint64_t, Warp>> ready_;
    std::vector<int> room_;
};

}  // namespace warpnet
