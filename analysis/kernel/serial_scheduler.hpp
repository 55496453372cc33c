#pragma once

#include "analysis/kernel/precedence_string.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// Serial schedules of strings that differ from a current one in a window, at the price of what lies behind
/// the first change (seed 000, section VII).
///
/// The state while inserting is: per warp the first cycle it may use, per cycle what is left of each
/// capacity, and per type the set of full cycles as bits, so that the next free cycle is found by counting
/// zeros. Such states are kept at regular positions of the current string; a candidate starts from the
/// nearest one before its window. About 2 ns an instruction behind that position, nothing for a candidate
/// that is dropped.
class SerialScheduler {
  public:
    /// The instance must be well-formed (check_instance); levels are ignored.
    explicit SerialScheduler(const KernelInstance& instance);

    /// Makes `string` the current one. O(W*I).
    int reset(PrecedenceString string);

    /// Makespan of the current string with `window` in place of what stands from position `first` on. The
    /// window must be a permutation of what it replaces.
    int evaluate(std::size_t first, std::span<const Warp> window);

    /// Makes the candidate evaluated last the current string.
    void accept();

    const PrecedenceString& string() const noexcept { return string_; }
    int makespan() const noexcept { return makespan_; }
    /// Cycle of each position of the current string, from 0.
    std::span<const std::uint32_t> cycles() const noexcept { return cycle_; }

  private:
    /// Everything insertion depends on.
    struct State {
        std::vector<std::uint32_t> ready;      // per warp: first cycle of its next instruction
        std::vector<std::uint64_t> occupancy;  // of the cycles, see Inserter
    };
    template <int planes, bool schedulers>
    class Inserter;

    void number_window();
    template <int planes, bool schedulers>
    void schedule_candidate();

    std::size_t warps_;
    std::vector<std::uint8_t> type_;      // of each instruction
    bool schedulers_;                     // whether their number can matter
    std::vector<std::uint64_t> limited_;  // per column of the occupancy: all bits if its capacity can matter
    int planes_ = 0;                      // bits of the counters of the occupancy

    PrecedenceString string_;
    std::vector<std::uint32_t> instruction_at_;  // which instruction of its warp each position stands for
    std::vector<std::uint8_t> type_at_;          // its type
    std::vector<std::uint32_t> cycle_;
    int makespan_ = 0;

    std::size_t spacing_;
    std::vector<State> kept_;  // kept_[i]: before position i * spacing_
    std::size_t valid_ = 0;    // kept_[0 ... valid_] belong to the current string

    State scratch_;
    std::size_t candidate_first_ = 0;
    std::vector<Warp> window_;
    std::vector<std::uint32_t> window_instruction_;
    std::vector<std::uint8_t> window_type_;
    std::vector<std::uint32_t> next_;  // per warp, for number_window
    std::vector<std::uint32_t> candidate_cycle_;
    int candidate_makespan_ = 0;
};

}  // namespace warpnet
