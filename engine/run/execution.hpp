#pragma once

#include "engine/run/run.hpp"

#include <cstdint>
#include <memory>

namespace warpnet {

/// A run under way, by whichever executor suits the net. Cut into pieces or not, it is the same run.
class Execution {
  public:
    virtual ~Execution() = default;

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

/// Begins the run that run() makes. The net, the observer and what the options refer to must outlive it;
/// RunOptions::max_steps is left to advance(). Errors as run().
std::unique_ptr<Execution> begin_run(const CompiledNet& net, const RunOptions& options,
                                     Observer* observer = nullptr);

}  // namespace warpnet
