#pragma once

#include "engine/run/run.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace warpnet {

/// A run in progress, by any executor. The result does not depend on how the run is cut into advance() calls.
class RunInProgress {
  public:
    virtual ~RunInProgress() = default;

    /// Continues until the run stops or has made `max_steps` timed steps since its beginning, and returns the
    /// reason. A run can continue with a higher limit after StopReason::step_limit, and not after other
    /// reasons.
    virtual StopReason advance(std::uint64_t max_steps) = 0;

    /// Whether the marking repeats forever, as in RunResult::endless. Known after StopReason::step_limit.
    virtual bool endless() const = 0;

    /// Timed steps so far.
    virtual std::uint64_t steps() const = 0;

    /// The result of the run so far; RunResult::reason is that of the last advance(). To be called once, at
    /// the end.
    virtual RunResult finish() = 0;
};

/// A net and a way to run it. Immutable, shared by all threads.
class Executor {
  public:
    virtual ~Executor() = default;

    virtual const CompiledNet& net() const = 0;

    /// Begins a run. The executor, the observer and all objects that the options refer to must outlive it.
    /// RunOptions::max_steps is ignored, see advance(). Throws InputError under multiset semantics if a
    /// transition takes no token, because a step would be unbounded.
    virtual std::unique_ptr<RunInProgress> begin(const RunOptions& options, Observer* observer) const = 0;

  protected:
    Executor() = default;
    Executor(const Executor&) = default;
    Executor(Executor&&) = default;
    Executor& operator=(const Executor&) = default;
    Executor& operator=(Executor&&) = default;
};

/// Makes one run, until the net is dead or a limit is reached. Throws like Executor::begin().
inline RunResult run(const Executor& executor, const RunOptions& options = {}, Observer* observer = nullptr) {
    const std::unique_ptr<RunInProgress> execution = executor.begin(options, observer);
    execution->advance(options.max_steps);
    return execution->finish();
}

/// The reason why the time limits end a run; empty if it may continue.
inline std::optional<StopReason> asked_to_stop(const WorkLimits& limits) noexcept {
    switch (limits.asked_to_end()) {
        case WorkEnd::interrupted:
            return StopReason::interrupted;
        case WorkEnd::time_limit:
            return StopReason::time_limit;
        default:
            return std::nullopt;
    }
}

/// Between two checks within a multiset step, which can have as many firings as there are tokens.
inline constexpr std::uint64_t firings_between_looks = 4096;

/// Decides before each step whether a limit forbids it. Checks the clock and the interrupt flag at its first
/// call and at every 256th call after that.
class StopCheck {
  public:
    explicit StopCheck(const RunOptions& options) noexcept : options_(options) {}

    /// `steps` timed steps have been made. If the next step is immediate, `immediate_rounds` consecutive
    /// immediate steps have been made.
    std::optional<StopReason> reached(std::uint64_t steps, bool immediate, std::uint64_t immediate_rounds) {
        if (!immediate && steps >= options_.max_steps) return StopReason::step_limit;
        if (immediate && immediate_rounds > max_immediate_rounds) return StopReason::immediate_loop;
        return calls_++ % 256 == 0 ? asked_to() : std::nullopt;
    }

    /// Whether the time limits end the run.
    std::optional<StopReason> asked_to() const { return asked_to_stop(options_.limits); }

    /// Whether reached() must be called before the next timed step. To be called instead of it otherwise.
    bool is_near(std::uint64_t steps) noexcept {
        if (steps >= options_.max_steps || calls_ % 256 == 0) return true;
        ++calls_;
        return false;
    }

  private:
    const RunOptions& options_;
    std::uint32_t calls_ = 0;
};

}  // namespace warpnet
