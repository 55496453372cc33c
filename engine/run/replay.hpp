#pragma once

#include "engine/base/work_limits.hpp"
#include "engine/net/error.hpp"
#include "engine/run/run.hpp"

#include <cstdint>
#include <vector>

namespace warpnet {

/// One step of a schedule: its transitions. Under multiset semantics a transition may occur several times.
struct ScheduledStep {
    bool immediate = false;
    std::vector<std::uint32_t> transitions;
    bool operator==(const ScheduledStep&) const = default;
};

using Schedule = std::vector<ScheduledStep>;

/// The steps of a schedule that take time.
std::uint64_t timed_steps(const Schedule& schedule);

/// A schedule is not a run of the net. The message names the step (counted from 1) and the offending
/// transition.
class ReplayError : public InputError {
  public:
    using InputError::InputError;
};

/// Follows a schedule and checks that each step is a step of the net under the given semantics. All members
/// must be enabled, the marking must cover the sum of their inputs, and the step must be maximal. Immediate
/// transitions come before timed ones, and higher priorities are served first. `names` provides the ids for
/// messages. The run ends with the schedule. The reason is dead if the net is dead and step_limit otherwise;
/// it is time_limit or interrupted if the limits ended the check early. O(transitions) per step.
RunResult replay(const CompiledNet& net, const Net& names, const Schedule& schedule, Semantics semantics,
                 Observer* observer = nullptr, const WorkLimits& limits = {});

/// Records a run as a schedule that replay() accepts.
class ScheduleRecorder : public Observer {
  public:
    void step(std::uint64_t number, bool immediate, std::span<const Firing> firings,
              std::span<const Tokens> marking) override;
    const Schedule& schedule() const noexcept { return schedule_; }

  private:
    Schedule schedule_;
};

}  // namespace warpnet
