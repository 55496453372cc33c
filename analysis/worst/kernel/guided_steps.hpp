#pragma once

#include "analysis/worst/kernel/segment_bound.hpp"
#include "analysis/worst/kernel/state_space.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace warpnet::worst {

/// Steps of concrete states, grouped by the steps of a segment abstraction: all concrete successors by one
/// abstract step have the same bound, so it is looked up once, and unwanted groups are not enumerated.
///
/// Holds the workspace of one thread. The space and the bound must outlive it.
template <class StateNumber>
class GuidedSteps {
  public:
    GuidedSteps(const MultisetSpaceOf<StateNumber>& space, const SegmentBound& bound)
        : space_(space),
          bound_(bound),
          steps_(bound.steps()),
          positions_(static_cast<std::size_t>(space.warps())) {
        const auto& segments = steps_.scheme().segments;
        for (std::size_t j = 0; j < segments.size(); ++j)
            segment_of_.insert(segment_of_.end(), static_cast<std::size_t>(segments[j].length()),
                               static_cast<int>(j));
        segment_of_.push_back(static_cast<int>(segments.size()));  // finished
    }

    /// Calls wanted(bound of the successors) for every abstract step from the state and, if that is true,
    /// visit(bound, instructions executed, vector of successors). Successors are distinct within a call, but
    /// may repeat in the next one.
    template <class Wanted, class Visit>
    void operator()(StateNumber state, const Wanted& wanted, const Visit& visit) {
        read(state);
        for (const Step& step : steps_from(composition_)) {
            std::int64_t index = step.first;
            bool possible = true;
            for (std::size_t g = 0; g < slack_.size() && g < groups(); ++g) {
                possible &= step.staying[g] <= slack_[g] && slack_[g] <= step.most_slack[g];
                index += static_cast<std::int64_t>(slack_[g]) * step.stride[g];
            }
            if (!possible) continue;
            const int value = bound_.value(static_cast<std::uint64_t>(index));
            if (wanted(value) && list_successors(state, step)) visit(value, step.executed, successors_);
        }
    }

    /// The bound of the state itself.
    int value(StateNumber state) {
        read(state);
        const SegmentBound::Block block = bound_.block(composition_);
        std::int64_t index = static_cast<std::int64_t>(block.first);
        for (std::size_t g = 0; g < groups(); ++g)
            index += static_cast<std::int64_t>(slack_[g]) * block.stride[g];
        return bound_.value(static_cast<std::uint64_t>(index));
    }

  private:
    /// A SegmentStep with everything that does not depend on the slack computed in advance.
    struct Step {
        std::int64_t first = 0;  ///< index of the bound after the step, from a state without slack
        std::array<std::int32_t, max_segments> stride{};
        SegmentCounts leaving{};
        SegmentCounts staying{};
        SegmentCounts most_slack{};
        int executed = 0;
    };

    static constexpr std::size_t max_steps_kept = 100'000;

    std::size_t groups() const { return static_cast<std::size_t>(steps_.scheme().groups); }

    void read(StateNumber state) {
        space_.unrank(state, positions_);
        composition_ = 0;
        slack_ = {};
        for (auto& runs : runs_) runs.clear();
        last_run_ = {};
        for (auto& lists : selections_)
            for (auto& list : lists) list.clear();
        const auto& segments = steps_.scheme().segments;
        const int warps = space_.warps();
        for (int begin = 0; begin < warps;) {
            const int position = positions_[static_cast<std::size_t>(begin)];
            const int s = segment_of_[static_cast<std::size_t>(position)];
            int end = begin;
            for (; end < warps && positions_[static_cast<std::size_t>(end)] == position; ++end)
                composition_ += steps_.compositions().term(s, end);
            if (s < static_cast<int>(segments.size())) {
                const auto j = static_cast<std::size_t>(s);
                const auto g = static_cast<std::size_t>(segments[j].group);
                const int left = segments[j].end - 1 - position;
                slack_[g] = static_cast<std::int16_t>(slack_[g] + left * (end - begin));
                if (left == 0)
                    last_run_[j] = {position, begin, end};
                else
                    runs_[g].push_back({position, begin, end});
            }
            begin = end;
        }
    }

    const std::vector<Step>& steps_from(std::uint64_t composition) {
        const auto known = known_.find(composition);
        if (known != known_.end()) return known->second;
        steps_.list(composition, listed_);
        kept_ += listed_.size();
        if (kept_ > max_steps_kept) {
            known_.clear();
            kept_ = listed_.size();
        }
        std::vector<Step>& steps = known_[composition];
        for (const SegmentStep& from : listed_) {
            const SegmentBound::Block block = bound_.block(from.target);
            Step step{.first = static_cast<std::int64_t>(block.first),
                      .stride = block.stride,
                      .leaving = from.leaving,
                      .staying = from.staying,
                      .most_slack = from.most_slack,
                      .executed = from.finishing_segments};
            for (std::size_t g = 0; g < groups(); ++g) {
                step.first += static_cast<std::int64_t>(from.arriving[g] - from.staying[g]) * block.stride[g];
                step.executed += from.staying[g];
            }
            steps.push_back(step);
        }
        return steps;
    }

    /// Sets successors_ to those by this abstract step; false if the concrete state has none.
    bool list_successors(StateNumber state, const Step& step) {
        for (std::size_t j = 0; j < steps_.scheme().segments.size(); ++j) {
            const PositionRun& last = last_run_[j];
            if (step.leaving[j] > last.end - last.begin) return false;
            for (int k = 1; k <= step.leaving[j]; ++k) state += space_.gain(last.position, last.end - k);
        }
        successors_.assign(1, state);
        for (std::size_t g = 0; g < groups(); ++g) {
            if (step.staying[g] == 0) continue;
            const auto count = static_cast<std::size_t>(step.staying[g]);
            auto& lists = selections_[g];
            if (lists.size() <= count) lists.resize(count + 1);
            if (lists[count].empty())
                append_selections(space_, runs_[g], static_cast<int>(count), 0, lists[count]);
            if (lists[count].empty()) return false;
            add_pairwise(successors_, lists[count], scratch_);
        }
        return true;
    }

    const MultisetSpaceOf<StateNumber>& space_;
    const SegmentBound& bound_;
    const SegmentSteps& steps_;
    std::vector<int> segment_of_;  // per position
    std::unordered_map<std::uint64_t, std::vector<Step>> known_;
    std::size_t kept_ = 0;
    std::vector<SegmentStep> listed_;

    // The current state.
    std::vector<int> positions_;
    std::uint64_t composition_ = 0;
    SegmentCounts slack_{};                                    // per group
    std::array<PositionRun, max_segments> last_run_{};         // per segment: at its last instruction
    std::array<std::vector<PositionRun>, max_segments> runs_;  // per group: at all other instructions
    std::array<std::vector<std::vector<StateNumber>>, max_segments> selections_;  // per group and count
    std::vector<StateNumber> successors_;
    std::vector<StateNumber> scratch_;
};

}  // namespace warpnet::worst
