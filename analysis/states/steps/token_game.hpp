#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"
#include "engine/run/run.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace warpnet {
class ConflictOrder;
}  // namespace warpnet

namespace warpnet::states {

/// Some of the possible steps.
struct PossibleSteps {
    std::vector<ScheduledStep> steps;
    bool complete = true;  ///< false: there are more
};

/// A token game: a net, its current marking, and the steps that led there. Steps that were undone can be
/// redone until another step is made.
class TokenGame {
  public:
    /// The net must outlive the game. Throws InputError if the semantics has no bounded steps on it.
    TokenGame(const Net& net, Semantics semantics, std::uint64_t seed);
    ~TokenGame();
    TokenGame(TokenGame&&) noexcept;
    TokenGame& operator=(TokenGame&&) = delete;

    const Marking& marking() const noexcept { return marking_; }
    /// The number of steps made, including immediate ones; and the number of timed ones.
    std::size_t position() const noexcept { return position_; }
    std::uint64_t timed_steps() const noexcept { return timed_steps_; }
    /// The steps made, and those that can be redone.
    std::span<const ScheduledStep> made() const { return std::span(schedule_).first(position_); }
    std::size_t length() const noexcept { return schedule_.size(); }

    /// Transitions that could fire now: the immediate ones if there are any, else the timed ones. O(net).
    std::vector<std::uint32_t> enabled() const;

    /// The first `most` possible steps in which every one of `members` fires, as often as it is named.
    /// Examines at most 100,000 steps, and ends after about a second of work.
    PossibleSteps possible_steps(std::size_t most, std::span<const std::uint32_t> members = {}) const;

    /// Makes a step. Throws InputError with the reason if it is not possible; then nothing has changed.
    void make(const ScheduledStep& step);

    /// Makes the step that run() with the policy `random` might make; false if nothing can fire. A game of
    /// only such steps is run number 0 of the seed.
    bool make_random();

    /// Undoes or redoes steps until `position` steps are made. REQUIRES: position <= length().
    void go_to(std::size_t position);

  private:
    void apply(const ScheduledStep& step, bool backwards);

    const Net& net_;
    CompiledNet compiled_;  // its initial marking is the present one
    Semantics semantics_;
    RunOptions options_;
    std::unique_ptr<ConflictOrder> order_;
    Marking marking_;
    Schedule schedule_;
    std::size_t position_ = 0;
    std::uint64_t timed_steps_ = 0;
};

}  // namespace warpnet::states
