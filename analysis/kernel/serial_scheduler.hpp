#pragma once

#include "analysis/kernel/precedence_string.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// Serial schedules of strings that differ from a current one in a window (seed 000, section VII, taken
/// further).
///
/// The state while inserting is, per warp, the first cycle it may use, and the occupancy of the cycles, as
/// bits. Such states of the current string are kept at regular positions. A candidate starts from the nearest
/// one before its window, and ends at the first one behind it that it agrees with in all that can still
/// matter: from there on nothing changes. Most candidates that an annealing accepts end so.
class SerialScheduler {
  public:
    /// The instance must be well-formed (check_instance); levels are ignored.
    explicit SerialScheduler(const KernelInstance& instance);

    /// Makes `string` the current one and returns its makespan. O(W*I).
    int reset(PrecedenceString string);

    /// Makespan of the current string with `window` in place of what stands from position `first` on. The
    /// window must be a permutation of what it replaces. O(instructions behind `first`), often less.
    int evaluate(std::size_t first, std::span<const Warp> window);

    /// Makes the candidate evaluated last the current string. O(instructions that were scheduled for it).
    void accept();

    const PrecedenceString& string() const noexcept { return string_; }
    int makespan() const noexcept { return makespan_; }
    /// Cycle of each position of the current string, from 0.
    std::span<const std::uint32_t> cycles() const noexcept { return cycle_; }

  private:
    struct State {
        std::vector<std::uint32_t> ready;      // per warp: first cycle of its next instruction
        std::vector<std::uint64_t> occupancy;  // see Inserter
        std::uint32_t floor = 0;               // no later instruction can use a cycle below
    };
    /// A letter with all that inserting its instruction needs to know.
    struct Letter {
        Warp warp;
        bool limited;          // whether the capacity of its type can matter
        std::uint16_t column;  // of its type, in a row of the occupancy
    };
    template <int type_planes, int scheduler_planes>
    class Inserter;

    template <int type_planes, int scheduler_planes>
    void schedule_candidate();
    template <int type_planes, int scheduler_planes>
    void keep_states();
    template <typename Function>
    void with_planes(Function function);
    bool agrees(const State& kept) const;

    std::size_t warps_;
    std::vector<Letter> instruction_;  // per instruction, for warp 0
    std::size_t stride_ = 0;           // words in a row of the occupancy
    int type_planes_ = 0;
    int scheduler_planes_;

    PrecedenceString string_;
    std::vector<std::uint32_t> instruction_at_;  // which instruction of its warp each position stands for
    std::vector<Letter> letter_at_;
    std::vector<std::size_t> last_at_;  // position of each warp's last letter
    std::vector<std::uint32_t> cycle_;
    int makespan_ = 0;

    std::size_t spacing_;
    std::vector<State> kept_;  // of the current string: kept_[i] is the state before position i * spacing_

    State scratch_;
    std::vector<std::uint32_t> next_;  // per warp, for the window
    std::vector<Warp> window_;
    std::vector<std::uint32_t> window_instruction_;
    std::vector<std::uint32_t> candidate_cycle_;
    std::size_t candidate_first_ = 0;
    std::size_t candidate_end_ = 0;  // from here on the candidate's schedule is the current one's
    int candidate_makespan_ = 0;
};

}  // namespace warpnet
