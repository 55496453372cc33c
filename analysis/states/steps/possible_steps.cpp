// A step under maximal semantics is a set of transitions (with multiplicities) to which nothing can be added.
// All of them are found by backtracking over the competitors. A competitor that is left out must be blocked
// in the end, so a branch is cut as soon as the undecided competitors can no longer take enough to block it.
// Without that test a place with k tokens and n takers would cost 2^n instead of n choose k. Some conflicts
// over several places still take exponential time per step, so the search asks now and then whether it must
// end.

#include "analysis/states/steps/possible_steps.hpp"

#include "engine/base/no_index.hpp"
#include "engine/compile/firing_rule.hpp"
#include "engine/net/error.hpp"
#include "engine/run/executor.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace warpnet::states {

namespace {

/// Backtracking over the competitors, level by level: each either joins the step or must be blocked by it.
/// There can be hundreds of thousands of competitors, so the decisions are on an explicit stack.
///
/// A decision changes the prospects only of transitions that take from the same places. Left-out transitions
/// are linked by place, and after a decision only those at its places are examined.
class StepEnumeration {
  public:
    using Levels = std::vector<std::vector<std::uint32_t>>;

    StepEnumeration(const CompiledNet& net, std::span<const Tokens> marking, Semantics semantics,
                    const std::function<bool(const ScheduledStep&)>& visit,
                    const std::function<bool()>& must_end)
        : net_(net),
          repeated_(semantics == Semantics::multiset),
          residual_(marking.begin(), marking.end()),
          wanted_(marking.size(), 0),
          last_left_out_(marking.size(), no_index),
          visit_(visit),
          must_end_(must_end) {}

    /// False if must_end() ended it.
    bool run(const Levels& levels, bool immediate) {
        step_.immediate = immediate;
        do {
            if (complete_step(levels)) {
                ScheduledStep found = step_;
                std::sort(found.transitions.begin(), found.transitions.end());
                if (!visit_(found)) return true;
                count_work(found.transitions.size() + residual_.size());
            }
        } while (!ended_ && change_last_decision());
        return !ended_;
    }

  private:
    /// A transition that is left out, at one of its input places.
    struct LeftOut {
        std::uint32_t transition;
        std::uint32_t before;  // the previous left-out one at this place
    };

    /// Decides on all undecided competitors. False if one of them can neither join nor be blocked.
    bool complete_step(const Levels& levels) {
        while (!ended_) {
            if (times_.size() < competitors_.size()) {
                if (!decide(competitors_[times_.size()])) return false;
            } else if (first_of_level_.size() < levels.size()) {
                open_level(levels[first_of_level_.size()]);
            } else {
                return true;
            }
        }
        return false;
    }

    void open_level(const std::vector<std::uint32_t>& level) {
        first_of_level_.push_back(competitors_.size());
        for (const std::uint32_t t : level) {
            if (!fits(net_, residual_, t)) continue;
            competitors_.push_back(t);
            want(t, 1);
        }
    }
    void close_level() {
        for (; competitors_.size() > first_of_level_.back(); competitors_.pop_back())
            want(competitors_.back(), -1);
        first_of_level_.pop_back();
    }

    /// The transition joins as often as it can.
    bool decide(std::uint32_t t) {
        const Tokens times = most_times(t);
        count_work(1 + static_cast<std::uint64_t>(times));
        want(t, -1);
        join(t, times);
        step_.transitions.insert(step_.transitions.end(), static_cast<std::size_t>(times), t);
        if (leaves_out(times)) leave_out(t);
        times_.push_back(times);
        if (is_possible(t, times)) return true;
        forget_last_decision();
        return false;
    }

    /// Lowers the last decision that can be lowered by one firing. False if there is none. If a left-out
    /// transition cannot be blocked any more, fewer firings do not help, because they take fewer tokens.
    bool change_last_decision() {
        for (;;) {
            while (!first_of_level_.empty() && first_of_level_.back() == times_.size()) close_level();
            if (times_.empty()) return false;
            const std::uint32_t t = competitors_[times_.size() - 1];
            if (times_.back() > 0) {
                if (!leaves_out(times_.back())) leave_out(t);
                --times_.back();
                join(t, -1);
                step_.transitions.pop_back();
                if (is_possible(t, times_.back())) return true;
            }
            forget_last_decision();
        }
    }
    void forget_last_decision() {
        const Tokens times = times_.back();
        times_.pop_back();
        const std::uint32_t t = competitors_[times_.size()];
        if (leaves_out(times)) take_back_in(t);
        join(t, -times);
        step_.transitions.resize(step_.transitions.size() - static_cast<std::size_t>(times));
        want(t, 1);
    }

    /// Whether a transition with this number of firings, and no more, must be blocked from then on.
    bool leaves_out(Tokens times) const { return times == 0 || repeated_; }
    void leave_out(std::uint32_t t) {
        for (const PlaceWeight input : net_.inputs[t]) {
            left_out_.push_back({t, last_left_out_[input.place]});
            last_left_out_[input.place] = static_cast<std::uint32_t>(left_out_.size() - 1);
        }
    }
    /// REQUIRES: the last transition that was left out.
    void take_back_in(std::uint32_t t) {
        const auto inputs = net_.inputs[t];
        for (std::size_t i = inputs.size(); i > 0; --i) {
            last_left_out_[inputs[i - 1].place] = left_out_.back().before;
            left_out_.pop_back();
        }
    }

    /// How often a transition can join.
    Tokens most_times(std::uint32_t t) const {
        if (!fits(net_, residual_, t)) return 0;
        if (!repeated_) return 1;
        Tokens times = most_firings + 1;
        for (const auto [place, weight] : net_.inputs[t]) times = std::min(times, residual_[place] / weight);
        if (times + std::ssize(step_.transitions) > most_firings) {
            throw InputError("a multiset step would have more than " + std::to_string(most_firings) +
                             " firings: too many to enumerate");
        }
        return times;
    }

    /// Whether all left-out transitions can still be blocked after a decision on `t`.
    bool is_possible(std::uint32_t t, Tokens times) const {
        const auto inputs = net_.inputs[t];
        if (inputs.empty()) return !leaves_out(times);
        return std::all_of(inputs.begin(), inputs.end(), [&](PlaceWeight input) {
            for (std::uint32_t at = last_left_out_[input.place]; at != no_index; at = left_out_[at].before) {
                if (!can_be_blocked(left_out_[at].transition)) return false;
            }
            return true;
        });
    }

    /// Whether the undecided competitors can still take enough tokens that `t` does not fit.
    bool can_be_blocked(std::uint32_t t) const {
        const auto inputs = net_.inputs[t];
        return std::any_of(inputs.begin(), inputs.end(), [&](PlaceWeight input) {
            const Tokens left = residual_[input.place], wanted = wanted_[input.place];
            return left < input.weight || (repeated_ ? wanted > 0 : left - wanted < input.weight);
        });
    }

    void join(std::uint32_t t, Tokens times) {
        for (const auto [place, weight] : net_.inputs[t]) residual_[place] -= times * weight;
    }

    /// `wanted_` holds, per place, the tokens that undecided competitors may take. Under multiset semantics
    /// it holds their number: each may take all tokens there.
    void want(std::uint32_t t, Tokens sign) {
        for (const auto [place, weight] : net_.inputs[t]) wanted_[place] += repeated_ ? sign : sign * weight;
    }

    void count_work(std::uint64_t work) {
        work_ += work;
        if (work_ < work_between_looks) return;
        work_ = 0;
        ended_ = must_end_ && must_end_();
    }

    static constexpr Tokens most_firings = 1'000'000;

    const CompiledNet& net_;
    bool repeated_;  // multiset semantics
    Marking residual_;
    std::vector<Tokens> wanted_;
    std::vector<std::uint32_t> competitors_;   // of all levels that are open
    std::vector<std::size_t> first_of_level_;  // in competitors_
    std::vector<Tokens> times_;                // firings of each decided competitor, in order
    std::vector<LeftOut> left_out_;
    std::vector<std::uint32_t> last_left_out_;  // per place, in left_out_
    const std::function<bool(const ScheduledStep&)>& visit_;
    const std::function<bool()>& must_end_;  // may be empty
    ScheduledStep step_;
    std::uint64_t work_ = 0;  // since must_end_ was asked
    bool ended_ = false;      // by must_end_
};

}  // namespace

bool for_each_possible_step(const CompiledNet& net, std::span<const Tokens> marking, Semantics semantics,
                            const std::function<bool(const ScheduledStep&)>& visit,
                            const std::function<bool()>& must_end) {
    require_bounded_steps(net, semantics);
    for (const bool immediate : {true, false}) {
        std::vector<std::vector<std::uint32_t>> levels;
        for (const PriorityLevel& level : net.priority_levels) {
            if (level.immediate != immediate) continue;
            std::vector<std::uint32_t> able;
            for (const std::uint32_t group : level.groups) {
                for (const std::uint32_t t : net.groups[group].members) {
                    if (enabled(net, marking, t)) able.push_back(t);
                }
            }
            std::sort(able.begin(), able.end());
            if (!able.empty()) levels.push_back(std::move(able));
        }
        if (levels.empty()) continue;
        if (semantics == Semantics::interleaving) {
            for (const std::uint32_t t : levels.front()) {
                if (!visit({immediate, {t}})) break;
            }
            return true;
        }
        return StepEnumeration(net, marking, semantics, visit, must_end).run(levels, immediate);
    }
    return true;
}

bool fire_step(const CompiledNet& net, const ScheduledStep& step, Marking& marking) {
    for (const std::uint32_t t : step.transitions) take(net, marking, t);
    return std::all_of(step.transitions.begin(), step.transitions.end(),
                       [&](std::uint32_t t) { return give(net, marking, t); });
}

}  // namespace warpnet::states
