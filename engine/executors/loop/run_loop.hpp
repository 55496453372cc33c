#pragma once

#include "engine/executors/loop/running_delays.hpp"
#include "engine/run/executor.hpp"
#include "engine/run/run.hpp"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace warpnet {

/// The number of firings: the total and, on request, per transition.
struct FiringTally {
    std::uint64_t firings = 0;
    std::vector<std::uint64_t> counts;  ///< per transition; empty if only the total is needed

    /// Adds the firings of a step that was made this many times. O(1) if only the total is needed and each
    /// transition fired once.
    void add(std::span<const Firing> step, std::uint64_t steps, bool once_each) {
        if (once_each && counts.empty()) {
            firings += step.size() * steps;
            return;
        }
        for (const auto [transition, times] : step) {
            firings += static_cast<std::uint64_t>(times) * steps;
            if (!counts.empty()) counts[transition] += static_cast<std::uint64_t>(times) * steps;
        }
    }
};

/// Shows an observer the steps of an executor that keeps no marking of the whole net while it runs.
class StepDisplay {
  public:
    /// The observer may be null; show() must not be called then.
    StepDisplay(const CompiledNet& net, Observer* observer) : net_(net), observer_(observer) {
        if (observer != nullptr) marking_ = net.initial;
    }

    /// The firings of the next step to be shown, in any order. show() clears them.
    std::vector<Firing>& firings() noexcept { return firings_; }

    void show(std::uint64_t step, bool immediate = false) {
        std::sort(firings_.begin(), firings_.end(),
                  [](const Firing& a, const Firing& b) { return a.transition < b.transition; });
        for (const Firing& firing : firings_) {
            for (const Effect& effect : net_.effects[firing.transition])
                marking_[effect.place] += effect.delta;
        }
        observer_->step(step, immediate, firings_, marking_);
        firings_.clear();
    }

  private:
    const CompiledNet& net_;
    Observer* observer_;
    Marking marking_;
    std::vector<Firing> firings_;
};

/// The operations of an executor for RunLoop. All functions except stop_before_step() and stopped() refer to
/// the next step.
template <class Steps>
concept Stepper = requires(Steps steps, bool immediate, std::uint64_t due, StopReason reason,
                           RunResult& result) {
    /// Timed steps so far.
    { steps.now() } -> std::same_as<std::uint64_t>;
    /// A reason that ends the run before the limits are checked.
    { steps.stop_before_step() } -> std::same_as<std::optional<StopReason>>;
    /// Whether any immediate (or timed) transition can fire.
    { steps.find(immediate) } -> std::same_as<bool>;
    /// A timed step in which a delay or an arrival changes something, or RunLoop::never.
    { steps.next_due() } -> std::same_as<std::uint64_t>;
    /// Called if a limit forbids the step: undoes find(). Returns the reason for the end of the run.
    { steps.stopped(reason) } -> std::same_as<StopReason>;
    /// Decides which transitions fire. Returns false if a time limit ends the choice.
    { steps.choose(immediate) } -> std::same_as<bool>;
    /// Whether the timed step changes nothing, so that it repeats.
    { steps.repeats(due) } -> std::same_as<bool>;
    /// Makes a repeated step, once or several times. Returns false on overflow.
    { steps.repeat(due) } -> std::same_as<bool>;
    /// Makes any other step. Returns false on overflow.
    { steps.fire(immediate, due) } -> std::same_as<bool>;
    /// Sets everything except the number of the run, `reason`, `steps` and `endless`.
    {steps.collect(result)};
};

/// The loop of every run that is made step by step. It makes an immediate step if one is possible and a timed
/// step otherwise, until the net is dead or a limit is reached. An executor `Steps` derives from this class
/// and models Stepper. The calls are static, because a virtual call would be a noticeable part of a step of
/// 20 ns.
template <class Steps>
class RunLoop : public RunInProgress {
  public:
    static constexpr std::uint64_t never = DelayCalendar::nothing_due;

    StopReason advance(std::uint64_t max_steps) final {
        options_.max_steps = max_steps;
        return result_.reason = run_until_stopped();
    }
    bool endless() const final { return result_.endless; }
    std::uint64_t steps() const final { return static_cast<const Steps&>(*this).now(); }
    RunResult finish() final {
        result_.steps = steps();
        static_cast<Steps&>(*this).collect(result_);
        return std::move(result_);
    }

    // The defaults of most executors.
    std::optional<StopReason> stop_before_step() { return std::nullopt; }
    StopReason stopped(StopReason reason) { return reason; }
    bool choose(bool /*immediate*/) { return true; }

  protected:
    RunLoop(const CompiledNet& net, const RunOptions& options, Observer* observer)
        : options_(options),
          observer_(observer),
          has_immediate_(!net.priority_levels.empty() && net.priority_levels.front().immediate) {
        result_.run = options.run;
    }

    RunOptions options_;
    Observer* observer_;
    StopCheck stop_{options_};
    RunResult result_;

  private:
    StopReason run_until_stopped() {
        static_assert(Stepper<Steps>);
        Steps& run = static_cast<Steps&>(*this);
        for (;;) {
            if (const auto reason = run.stop_before_step()) return *reason;
            const bool immediate = has_immediate_ && run.find(true);
            immediate_rounds_ = immediate ? immediate_rounds_ + 1 : 0;
            const bool fires = immediate || run.find(false);
            const std::uint64_t due = immediate ? never : run.next_due();
            if (!fires && due == never) return StopReason::dead;
            if (immediate || stop_.is_near(run.now())) {
                if (const auto reason = stop_.reached(run.now(), immediate, immediate_rounds_))
                    return run.stopped(*reason);
            }
            if (!run.choose(immediate)) return *stop_.asked_to();
            const bool repeats = !immediate && run.repeats(due);
            if (!immediate) result_.endless = repeats && due == never;
            if (!(repeats ? run.repeat(due) : run.fire(immediate, due))) return StopReason::overflow;
        }
    }

    bool has_immediate_;
    std::uint64_t immediate_rounds_ = 0;  // in a row
};

}  // namespace warpnet
