#pragma once

#include "engine/executors/pivots/state.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace warpnet {

/// Detects that a deterministic run repeats itself. After one *period* the state is the same, except for
/// places that *drift*, such as the remaining blocks of a kernel. While no drifting place crosses the weight
/// of an arc, each further period fires the same transitions in the same order as the last one. These periods
/// are counted and not executed, so a run costs its different periods and not its length.
///
/// The search keeps a copy of the state and compares each later state with it. It makes a new copy whenever
/// the number of steps since the last copy has doubled, as in the cycle search of Brent. Once a state recurs,
/// the period is executed once more to record its firings. Firings earn the credit for copies and
/// comparisons, so the search costs a small fraction of the run.
class Recurrence {
  public:
    /// The counters of a run.
    struct Progress {
        std::uint64_t rounds = 0;
        std::uint64_t firings = 0;          ///< without those in running gadgets
        std::uint64_t gadget_firings = 0;   ///< see RunningDelays::firings()
        std::vector<std::uint64_t> counts;  ///< per transition; empty unless requested
    };

    Recurrence(const CompiledNet& net, const PivotNet& pivots);

    /// Restarts the search: a choice was made, so the past does not determine the future.
    void forget() noexcept {
        stage_ = Stage::waiting;
        undisturbed_ = 0;
    }

    /// Whether note() must receive all firings. Of a running gadget it receives only the end.
    bool is_measuring() const noexcept { return stage_ == Stage::measuring; }
    void note(std::uint32_t transition) noexcept { ++fired_[transition]; }

    /// To be called after each timed step without a choice. Returns how many periods equal to the last one
    /// are certain to follow and end within `most_steps`. begin(), steps() and drifts() then describe the
    /// last period.
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
        comparing,  ///< compares the state after each step with the copy
        measuring,  ///< executes the period that was found once more
    };
    static constexpr std::uint64_t least_undisturbed = 64;
    static constexpr std::size_t most_drifts = 16;

    std::uint64_t look(const PivotState& state, const Progress& progress, std::uint64_t most_steps);
    void copy(const PivotState& state);
    std::uint64_t certain_periods(const PivotState& state) const;

    const CompiledNet& net_;
    const PivotNet& pivots_;
    std::uint64_t cost_;  // of one comparison, in firings
    Stage stage_ = Stage::waiting;
    std::uint64_t undisturbed_ = 0;  // steps
    std::uint64_t credit_ = 0, seen_firings_ = 0;
    std::unique_ptr<PivotState> earlier_;
    std::uint64_t until_ = 0;   // comparing: the step of the next copy
    std::uint64_t period_ = 0;  // steps
    Progress begin_;
    std::vector<std::uint32_t> fired_;  // per transition, in this period
    std::vector<Drift> drifts_, found_drifts_;
};

}  // namespace warpnet
