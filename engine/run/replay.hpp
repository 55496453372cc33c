#pragma once

#include "engine/base/work_limits.hpp"
#include "engine/net/error.hpp"
#include "engine/run/run.hpp"

#include <cstdint>
#include <vector>

namespace warpnet {

/// One step of a schedule: what fires in it. Under multiset semantics a transition may stand in it several
/// times.
struct ScheduledStep {
    bool immediate = false;
    std::vector<std::uint32_t> transitions;
    bool operator==(const ScheduledStep&) const = default;
};

using Schedule = std::vector<ScheduledStep>;

/// A schedule is not a run of the net. The message names the step (counted from 1) and the transition at
/// fault.
class ReplayError : public InputError {
  public:
    using InputError::InputError;
};

/// Follows a schedule and checks that each of its steps is a step of the net under the given semantics: every
/// member enabled, their input demands covered together, maximal, immediate transitions before timed ones,
/// higher priorities served first. `names` gives ids for messages. Ends where the schedule ends: `reason` is
/// dead if the net is, else step_limit; time_limit or interrupted, where the limits' deadline or interrupt
/// came before that. O(transitions) a step.
RunResult replay(const CompiledNet& net, const Net& names, const Schedule& schedule, Semantics semantics,
                 Observer* observer = nullptr, const WorkLimits& limits = {});

/// Records what a run did as a schedule that replay() accepts.
class ScheduleRecorder : public Observer {
  public:
    void step(std::uint64_t number, bool immediate, std::span<const Firing> firings,
              std::span<const Tokens> marking) override;
    const Schedule& schedule() const noexcept { return schedule_; }

  private:
    Schedule schedule_;
};

}  // namespace warpnet
