#pragma once

#include "engine/executors/loop/run_loop.hpp"
#include "engine/run/executor.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace warpnet {

/// Records the firings of the run of a part, step by step, until they are shown together with those of other
/// parts.
class StepRecorder final : public Observer {
  public:
    void step(std::uint64_t number, bool /*immediate*/, std::span<const Firing> firings,
              std::span<const Tokens> /*marking*/) override {
        if (ends_.empty()) first_step_ = number;
        firings_.insert(firings_.end(), firings.begin(), firings.end());
        ends_.push_back(firings_.size());
    }

    /// Empty for a step that is not recorded.
    std::span<const Firing> firings_of(std::uint64_t step) const {
        if (step < first_step_ || step - first_step_ >= ends_.size()) return {};
        const std::size_t i = step - first_step_;
        const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
        return std::span(firings_).subspan(begin, ends_[i] - begin);
    }

    /// Removes all recorded steps. The next step may have any number.
    void clear() {
        firings_.clear();
        ends_.clear();
    }

  private:
    std::uint64_t first_step_ = 0;
    std::vector<Firing> firings_;
    std::vector<std::size_t> ends_;  // per step: in firings_
};

/// A run whose parts run independently for some steps, on any core, and then meet. At a meeting the run shows
/// their steps and checks the clock. Meetings every 1024 steps keep the cost of synchronisation small.
class MeetingRun : public RunInProgress {
  public:
    StopReason advance(std::uint64_t max_steps) final {
        return result_.reason = run_until_stopped(max_steps);
    }
    std::uint64_t steps() const final { return now_; }
    RunResult finish() final {
        result_.steps = now_;
        result_.endless = result_.reason == StopReason::step_limit && endless();
        result_.marking = net_.initial;
        collect(result_);
        return std::move(result_);
    }

  protected:
    /// `meet_after`: the number of steps between meetings, if the run is not observed.
    MeetingRun(const CompiledNet& net, const RunOptions& options, Observer* observer,
               std::uint64_t meet_after)
        : net_(net),
          options_(options),
          observer_(observer),
          display_(net, observer),
          meet_after_(observer == nullptr ? meet_after : 1024) {
        result_.run = options.run;
        if (options.count_firings) result_.counts.assign(net.transition_count(), 0);
    }

    /// Advances all parts and now_ to step `until`, or to an earlier end of the run. Returns
    /// StopReason::step_limit unless the run has ended.
    virtual StopReason advance_parts(std::uint64_t until) = 0;
    /// Sets the marking, the firings and the counts.
    virtual void collect(RunResult& result) = 0;

    const CompiledNet& net_;
    RunOptions options_;
    Observer* observer_;
    std::uint64_t now_ = 0;
    RunResult result_;
    StepDisplay display_;

  private:
    StopReason run_until_stopped(std::uint64_t max_steps) {
        for (;;) {
            const bool nothing_new = observer_ == nullptr && now_ > 0 && endless();
            const StopReason reason =
                advance_parts(nothing_new ? max_steps : std::min(max_steps, now_ + meet_after_));
            if (reason != StopReason::step_limit || now_ >= max_steps) return reason;
            if (const auto asked = asked_to_stop(options_.limits)) return *asked;
        }
    }

    std::uint64_t meet_after_;
};

}  // namespace warpnet
