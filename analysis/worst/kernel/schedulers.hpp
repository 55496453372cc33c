#pragma once

#include "analysis/worst/kernel/precedence_string.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet::worst {

// The makespans of strings that differ from the current one in a window. Everything behind the first change
// must be scheduled again, each instruction at the first cycle that its warp and the capacities leave free.
// The serial scheduler does that with words of 64 cycles: the free cycles of a type are the bits of a word,
// and a capacity of c is a counter of log2 c bits for each of the 64 cycles at once, so neither an address
// nor a branch depends on the position of an instruction. States every 50 positions or so of the current
// string are kept; the candidate starts from the one before its window. Four chains advance together in a
// thread, their instructions interleaved, because each of them mostly waits for its own results.

/// Serial schedules of strings that differ from a current one in a window ([Berezovskyi13] section VII, taken
/// further).
///
/// The string is cut into blocks of equal length. The state between two blocks has, per warp, the first cycle
/// it may use and its next instruction, and the occupancy of the cycles, as bits. The states of the current
/// string are kept. A candidate starts from the one before its window, and ends at the first one behind it
/// with which it agrees in everything that can still matter: from there on nothing changes.
///
/// The position of an instruction depends on the previous one, so a processor spends most of its time
/// waiting. Schedulers of several chains therefore advance together, a block at a time, their instructions
/// interleaved.
class SerialScheduler {
  public:
    /// The instance must be well-formed (check_instance); levels are ignored.
    explicit SerialScheduler(const netgen::KernelInstance& instance);

    /// Makes `string` the current one and returns its makespan. O(W*I).
    int reset(PrecedenceString string);

    /// Begins a candidate: the current string with `window` at the positions from `first` on. The window must
    /// be a permutation of the entries that it replaces. Drops an unaccepted candidate.
    void propose(std::size_t first, std::span<const Warp> window);
    /// Schedules one more block of each candidate. All must have been made for the same instance, and none
    /// may be evaluated. O(W*I / blocks) each.
    static void advance(std::span<SerialScheduler* const> schedulers);
    /// Whether enough of the candidate has been scheduled to know its makespan.
    bool evaluated() const noexcept { return evaluated_; }
    int candidate_makespan() const noexcept { return candidate_makespan_; }
    /// The three above in one call. O(instructions behind `first`), often less.
    int evaluate(std::size_t first, std::span<const Warp> window);

    /// Makes the evaluated candidate the current string. O(window + blocks).
    void accept();

    const PrecedenceString& string() const noexcept { return string_; }
    int makespan() const noexcept { return makespan_; }
    /// Cycle of each position of the current string, from 0. O(W*I).
    std::vector<std::uint32_t> cycles() const;

  private:
    class Placer;
    std::uint64_t* state(std::size_t slot) { return states_.data() + slot * state_words_; }

    std::uint32_t ready_cycle(const std::uint64_t* state, std::size_t warp) const;
    std::size_t words_in_use(std::size_t block) const;
    bool agrees(const std::uint64_t* kept, const std::uint64_t* candidate, std::size_t block) const;
    void finish_block();
    template <typename Function>
    static void with_planes(const SerialScheduler& scheduler, Function function);
    template <std::size_t count>
    static void place_block(SerialScheduler* const* schedulers);

    std::size_t warps_;
    std::size_t length_;
    std::vector<std::uint32_t> column_;  // per instruction, of its type in a row; more, to fill a block
    std::size_t first_row_ = 0;          // word of a state at which its occupancy begins
    std::size_t stride_ = 0;             // words in a row of the occupancy
    int type_planes_ = 0;
    int scheduler_planes_ = 0;
    std::size_t block_length_;
    std::size_t blocks_;
    std::size_t state_words_ = 0;

    PrecedenceString string_;
    int makespan_ = 0;

    PrecedenceString candidate_;  // padded to whole blocks; equal to string_ except for the window
    std::size_t candidate_first_ = 0;
    std::size_t window_length_ = 0;
    std::size_t first_block_ = 0;
    std::size_t block_ = 0;  // next of the candidate
    bool evaluated_ = true;
    int candidate_makespan_ = 0;

    std::vector<std::uint64_t> states_;
    std::vector<std::size_t> kept_;   // per block: slot of the state before it, for the current string
    std::vector<std::size_t> spare_;  // the same for the candidate
};

/// The maximal-step reading of a pseudo-precedence string, with the interface of SerialScheduler: in each
/// cycle the ready instructions are taken in the order (fairness level, position in the string) as far as the
/// capacities allow. Restarts at the first cycle in which a changed position could matter. O(W log W) per
/// cycle behind it.
class MaximalStepScheduler {
  public:
    /// The instance must be well-formed (check_instance).
    explicit MaximalStepScheduler(const netgen::KernelInstance& instance);

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

    netgen::KernelInstance instance_;
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

/// The schedule of a string, the witness for its makespan; the warps of a cycle ascend. Throws InputError as
/// the two checks do, and for the serial reading of an instance with waits. The serial reading ignores
/// levels.
KernelSchedule decode(const netgen::KernelInstance& instance, std::span<const Warp> string,
                      StringReading reading);

}  // namespace warpnet::worst
