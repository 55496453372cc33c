#pragma once

#include "engine/executors/pivots/state.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace warpnet {

/// Finds that a run in which nothing is left to choose repeats itself: all is as it was a *period* ago, but
/// for places that *drift*, such as the blocks of a kernel that are still to be assigned. As long as no
/// drifting place comes past the weight of an arc that asks for its tokens, the next period is like the last
/// one, firing for firing, and so are those behind it: they need not be executed.
///
/// A period is found by comparing with a copy of the state, made anew whenever the run has gone on for as
/// long again; then it is executed once more, to learn what fires in it. Copies and comparisons are paid for
/// by firings, so that looking for periods costs a fraction of the run.
class Recurrence {
  public:
    /// What a run counts.
    struct Progress {
        std::uint64_t rounds = 0;
        std::uint64_t firings = 0;          ///< those in running gadgets left out
        std::uint64_t gadget_firings = 0;   ///< see RunningDelays::firings()
        std::vector<std::uint64_t> counts;  ///< of all, per transition; empty unless asked for
    };

    Recurrence(const CompiledNet& net, const PivotNet& pivots);

    /// It was chosen who is served, or in which order: what has been tells nothing of what comes.
    void forget() noexcept {
        stage_ = Stage::waiting;
        undisturbed_ = 0;
    }

    /// Whether all firings are to be told to note(), those of running gadgets left out but for their ends.
    bool is_measuring() const noexcept { return stage_ == Stage::measuring; }
    void note(std::uint32_t transition) noexcept { ++fired_[transition]; }

    /// To be called after each timed step in which nothing was chosen: how many periods like the last one
    /// follow for certain; of those that end within `most_steps`. begin(), steps() and drifts() are those of
    /// the last one.
    std::uint64_t periods(const PivotState& state, const Progress& progress, std::uint64_t most_steps) {
        credit_ = std::min(credit_ + progress.firings - seen_firings_ + 1, 8 * cost_);
        seen_firings_ = progress.firings;
        if (++undisturbed_ < least_undisturbed) return 0;
        if (is_measuring() ? state.now() < earlier_->now() + period_ : credit_ < cost_) return 0;
        return look(state, progress, most_steps);
    }
    const Progress& begin() const noexcept { return begin_; }
    std::uint64_t steps() const noexcept { return period_; }
    std::span<const Drift> drifts() const noexcept { return drifts_; }

  private:
    enum class Stage : std::uint8_t {
        waiting,    ///< for credit
        comparing,  ///< the states after steps with that before the first of them
        measuring,  ///< a period that has been found
    };
    static constexpr std::uint64_t least_undisturbed = 64;
    static constexpr std::size_t most_drifts = 16;

    std::uint64_t look(const PivotState& state, const Progress& progress, std::uint64_t most_steps);
    void copy(const PivotState& state);
    std::uint64_t certain_periods(const PivotState& state) const;

    const CompiledNet& net_;
    const PivotNet& pivots_;
    std::uint64_t cost_;  // of a comparison, in firings
    Stage stage_ = Stage::waiting;
    std::uint64_t undisturbed_ = 0;  // steps
    std::uint64_t credit_ = 0, seen_firings_ = 0;
    std::unique_ptr<PivotState> earlier_;
    std::uint64_t until_ = 0;   // comparing: when another copy is made
    std::uint64_t period_ = 0;  // steps
    Progress begin_;
    std::vector<std::uint32_t> fired_;  // per transition, in the period
    std::vector<Drift> drifts_, found_drifts_;
};

}  // namespace warpnet
