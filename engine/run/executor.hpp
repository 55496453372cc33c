#pragma once

#include "engine/run/run.hpp"

#include <cstdint>
#include <memory>

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

}  // namespace warpnet
