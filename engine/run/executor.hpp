#pragma once

#include "engine/run/run.hpp"

#include <cstdint>
#include <memory>

namespace warpnet {

/// A run under way, by whichever executor suits the net. Cut into pieces or not, it is the same run.
class RunInProgress {
  public:
    virtual ~RunInProgress() = default;

    /// Goes on until the run stops or has made `max_steps` timed steps since its beginning, and says why.
    /// After StopReason::step_limit it may go on with a higher limit, after any other reason it may not.
    virtual StopReason advance(std::uint64_t max_steps) = 0;

    /// Whether the marking repeats for ever, as RunResult::endless; known after StopReason::step_limit.
    virtual bool endless() const = 0;

    /// Timed steps so far.
    virtual std::uint64_t steps() const = 0;

    /// The run as far as it went; RunResult::reason is that of the last advance(). Once, at the end.
    virtual RunResult finish() = 0;
};

/// A net and a way to run it. Immutable, shared by all threads.
class Executor {
  public:
    virtual ~Executor() = default;

    virtual const CompiledNet& net() const = 0;

    /// Begins a run. The executor, the observer and what the options refer to must outlive it;
    /// RunOptions::max_steps is left to advance(). Throws InputError under multiset semantics where a
    /// transition takes no token from anywhere, since a step would have no bound.
    virtual std::unique_ptr<RunInProgress> begin(const RunOptions& options, Observer* observer) const = 0;

  protected:
    Executor() = default;
    Executor(const Executor&) = default;
    Executor(Executor&&) = default;
    Executor& operator=(const Executor&) = default;
    Executor& operator=(Executor&&) = default;
};

/// One run, until the net is dead or a limit is reached. Errors as Executor::begin().
inline RunResult run(const Executor& executor, const RunOptions& options = {}, Observer* observer = nullptr) {
    const std::unique_ptr<RunInProgress> execution = executor.begin(options, observer);
    execution->advance(options.max_steps);
    return execution->finish();
}

}  // namespace warpnet
