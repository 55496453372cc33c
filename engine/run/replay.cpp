// Checks a schedule against the definition of a step, transition by transition. The check is written for
// clear error messages and not for speed: it shares the firing rule (firing_rule.hpp) with the executors and
// nothing else. So a schedule found by a search is confirmed by code that does not know the search.
//
// Cost: each step tries all transitions, O(arcs of the net) per step, and check_priorities() may take the
// step again for each of them. That is far more than an executor needs, but a schedule is checked only once.

#include "engine/run/replay.hpp"

#include "engine/compile/firing_rule.hpp"
#include "engine/run/executor.hpp"

#include <algorithm>

namespace warpnet {

namespace {

/// Follows one schedule. Its error messages name the current step.
class Replayer {
  public:
    Replayer(const CompiledNet& net, const Net& names, Semantics semantics)
        : net_(net), names_(names), semantics_(semantics) {
        result_.marking = net.initial;
    }

    /// Checks one step and makes it.
    void check_and_fire(const ScheduledStep& step, std::size_t number, Observer* observer) {
        number_ = number;
        if (step.transitions.empty()) fail("is empty");
        if (!step.immediate) {
            if (const auto t = could_fire(true))
                fail("is timed, but immediate transition " + name(*t) + " can fire");
        }
        std::vector<Firing> firings = collect(step);
        const Marking residual = taken(step, firings);
        check_maximal(step, firings, residual);
        check_priorities(step, firings);

        result_.marking = residual;
        for (const std::uint32_t t : step.transitions) {
            if (!give(net_, result_.marking, t)) fail("overflows a place fed by transition " + name(t));
        }
        result_.firings += step.transitions.size();
        if (!step.immediate) ++result_.steps;
        if (observer != nullptr) observer->step(result_.steps, step.immediate, firings, result_.marking);
    }

    RunResult leave(StopReason reason) {
        result_.reason = reason;
        return std::move(result_);
    }
    RunResult finish() {
        result_.reason = could_fire(true) || could_fire(false) ? StopReason::step_limit : StopReason::dead;
        return std::move(result_);
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw ReplayError("step " + std::to_string(number_) + " of the schedule " + what);
    }
    std::string name(std::uint32_t t) const { return "'" + names_[TransitionId(t)].id + "'"; }

    /// The first enabled transition, timed or immediate.
    std::optional<std::uint32_t> could_fire(bool immediate) const {
        for (std::uint32_t t = 0; t < net_.transition_count(); ++t) {
            if (net_.immediate(t) == immediate && enabled(net_, result_.marking, t)) return t;
        }
        return std::nullopt;
    }

    /// The firings of a step in ascending order. Reports transitions that do not belong into such a step.
    std::vector<Firing> collect(const ScheduledStep& step) const {
        std::vector<std::uint32_t> sorted = step.transitions;
        std::sort(sorted.begin(), sorted.end());
        std::vector<Firing> firings;
        for (const std::uint32_t t : sorted) {
            if (t >= net_.transition_count())
                fail("names transition number " + std::to_string(t) + ", which does not exist");
            if (net_.immediate(t) != step.immediate) {
                fail("is " + std::string(step.immediate ? "immediate" : "timed") + ", but transition " +
                     name(t) + " is not");
            }
            if (!firings.empty() && firings.back().transition == t) {
                ++firings.back().times;
                if (semantics_ == Semantics::maximal) fail("fires transition " + name(t) + " twice");
            } else {
                firings.push_back({t, 1});
            }
        }
        if (semantics_ == Semantics::interleaving && sorted.size() != 1) {
            fail("fires " + std::to_string(sorted.size()) + " transitions, expected one");
        }
        return firings;
    }

    /// The tokens that a step leaves. Reports members that are not enabled or that the marking does not
    /// cover.
    Marking taken(const ScheduledStep& step, const std::vector<Firing>& firings) const {
        for (const Firing& firing : firings) {
            if (!enabled(net_, result_.marking, firing.transition)) {
                fail("fires transition " + name(firing.transition) + ", which is not enabled");
            }
        }
        Marking residual = result_.marking;
        for (const std::uint32_t t : step.transitions) {
            if (!fits(net_, residual, t))
                fail("needs more tokens than there are: transition " + name(t) + " finds too few");
            take(net_, residual, t);
        }
        return residual;
    }

    bool fires(const std::vector<Firing>& firings, std::uint32_t t) const {
        const auto at =
            std::lower_bound(firings.begin(), firings.end(), t,
                             [](const Firing& firing, std::uint32_t id) { return firing.transition < id; });
        return at != firings.end() && at->transition == t;
    }

    /// Reports an enabled transition that could be added to the step.
    void check_maximal(const ScheduledStep& step, const std::vector<Firing>& firings,
                       const Marking& residual) const {
        if (semantics_ == Semantics::interleaving) return;
        for (std::uint32_t t = 0; t < net_.transition_count(); ++t) {
            if (net_.immediate(t) != step.immediate ||
                (semantics_ == Semantics::maximal && fires(firings, t)))
                continue;
            if (fits(net_, residual, t) && enabled(net_, result_.marking, t)) {
                fail("is not maximal: transition " + name(t) +
                     " could fire as well (paths of 'explore' are of semantics interleaving by default)");
            }
        }
    }

    /// A higher priority level must be maximal by itself: no lower level may keep one of its transitions from
    /// firing.
    void check_priorities(const ScheduledStep& step, const std::vector<Firing>& firings) const {
        std::uint32_t lowest = 0;
        for (const Firing& firing : firings)
            lowest = std::max(lowest, net_.priority_level(firing.transition));
        for (std::uint32_t t = 0; t < net_.transition_count(); ++t) {
            const std::uint32_t priority_level = net_.priority_level(t);
            if (net_.immediate(t) != step.immediate || priority_level >= lowest) continue;
            if (semantics_ == Semantics::maximal && fires(firings, t)) continue;
            Marking residual = result_.marking;
            for (const std::uint32_t other : step.transitions) {
                if (net_.priority_level(other) <= priority_level) take(net_, residual, other);
            }
            const bool passed_over = semantics_ == Semantics::interleaving || fits(net_, residual, t);
            if (passed_over && enabled(net_, result_.marking, t)) {
                fail("passes over transition " + name(t) + ", which has a higher priority");
            }
        }
    }

    const CompiledNet& net_;
    const Net& names_;
    Semantics semantics_;
    RunResult result_;
    std::size_t number_ = 0;
};

}  // namespace

RunResult replay(const CompiledNet& net, const Net& names, const Schedule& schedule, Semantics semantics,
                 Observer* observer, const WorkLimits& limits) {
    Replayer replayer(net, names, semantics);
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        if (const auto reason = asked_to_stop(limits)) return replayer.leave(*reason);
        replayer.check_and_fire(schedule[i], i + 1, observer);
    }
    return replayer.finish();
}

std::uint64_t timed_steps(const Schedule& schedule) {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(schedule, [](const ScheduledStep& step) { return !step.immediate; }));
}

void ScheduleRecorder::step(std::uint64_t, bool immediate, std::span<const Firing> firings,
                            std::span<const Tokens>) {
    ScheduledStep step{immediate, {}};
    for (const Firing& firing : firings) {
        step.transitions.insert(step.transitions.end(), static_cast<std::size_t>(firing.times),
                                firing.transition);
    }
    schedule_.push_back(std::move(step));
}

}  // namespace warpnet
