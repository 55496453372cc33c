#include "analysis/steps/possible_steps.hpp"

#include "engine/compile/firing_rule.hpp"
#include "engine/net/error.hpp"
#include "engine/run/stop_check.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace warpnet {

namespace {

/// Backtracking over the competitors, stratum by stratum: each either joins the step or must be blocked by
/// it.
class StepEnumeration {
  public:
    StepEnumeration(const CompiledNet& net, std::span<const Tokens> marking, Semantics semantics,
                    const std::function<bool(const ScheduledStep&)>& visit,
                    const std::function<bool()>& must_end)
        : net_(net),
          repeated_(semantics == Semantics::multiset),
          residual_(marking.begin(), marking.end()),
          wanted_(marking.size(), 0),
          visit_(visit),
          must_end_(must_end) {}

    /// False where must_end() ended it.
    bool run(const std::vector<std::vector<std::uint32_t>>& strata, bool immediate) {
        step_.immediate = immediate;
        serve_stratum(strata, 0);
        return !ended_;
    }

  private:
    bool serve_stratum(const std::vector<std::vector<std::uint32_t>>& strata, std::size_t at) {
        if (at == strata.size()) {
            ScheduledStep found = step_;
            std::sort(found.transitions.begin(), found.transitions.end());
            return visit_(found);
        }
        std::vector<std::uint32_t> competitors;
        for (const std::uint32_t t : strata[at]) {
            if (fits(net_, residual_, t)) competitors.push_back(t);
        }
        for (const std::uint32_t t : competitors) want(t, 1);
        std::vector<std::uint32_t> left_out;
        const bool go_on = decide(competitors, 0, left_out, [&] { return serve_stratum(strata, at + 1); });
        for (const std::uint32_t t : competitors) want(t, -1);
        return go_on;
    }

    /// `wanted_` holds, per place, what the competitors not yet decided on may take. The more often the next
    /// one joins the fewer tokens are left, so once somebody who is left out could not be blocked any more,
    /// joining less often does not help.
    bool decide(const std::vector<std::uint32_t>& competitors, std::size_t at,
                std::vector<std::uint32_t>& left_out, const std::function<bool()>& next) {
        if (at == competitors.size()) return next();
        if (++decisions_ % decisions_between_looks == 0 && must_end_ && must_end_()) ended_ = true;
        if (ended_) return false;
        const std::uint32_t t = competitors[at];
        want(t, -1);
        bool go_on = true, possible = true;
        Tokens times = most_times(t);
        for (Tokens i = 0; i < times; ++i) {
            take(net_, residual_, t);
            step_.transitions.push_back(t);
        }
        for (; times >= 0; --times) {
            const bool could_join = times == 0 || repeated_;
            if (go_on && possible) {
                if (could_join) left_out.push_back(t);
                possible = all_can_be_blocked(left_out);
                if (possible) go_on = decide(competitors, at + 1, left_out, next);
                if (could_join) left_out.pop_back();
            }
            if (times == 0) break;
            for (const auto [place, weight] : net_.inputs[t]) residual_[place] += weight;
            step_.transitions.pop_back();
        }
        want(t, 1);
        return go_on;
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

    /// Whether the undecided ones can still take so much that `t` does not fit.
    bool can_be_blocked(std::uint32_t t) const {
        const auto inputs = net_.inputs[t];
        return std::any_of(inputs.begin(), inputs.end(), [&](PlaceWeight input) {
            const Tokens left = residual_[input.place], wanted = wanted_[input.place];
            return left < input.weight || (repeated_ ? wanted > 0 : left - wanted < input.weight);
        });
    }
    bool all_can_be_blocked(const std::vector<std::uint32_t>& left_out) const {
        return std::all_of(left_out.begin(), left_out.end(),
                           [&](std::uint32_t t) { return can_be_blocked(t); });
    }

    /// Under multiset semantics the number of those who may take is counted: each may take all there is.
    void want(std::uint32_t t, Tokens sign) {
        for (const auto [place, weight] : net_.inputs[t]) wanted_[place] += repeated_ ? sign : sign * weight;
    }

    static constexpr Tokens most_firings = 1'000'000;

    const CompiledNet& net_;
    bool repeated_;  // multiset semantics
    Marking residual_;
    std::vector<Tokens> wanted_;
    const std::function<bool(const ScheduledStep&)>& visit_;
    const std::function<bool()>& must_end_;  // may be empty
    ScheduledStep step_;
    std::uint64_t decisions_ = 0;
    bool ended_ = false;  // by must_end_
};

}  // namespace

bool for_each_possible_step(const CompiledNet& net, std::span<const Tokens> marking, Semantics semantics,
                            const std::function<bool(const ScheduledStep&)>& visit,
                            const std::function<bool()>& must_end) {
    require_bounded_steps(net, semantics);
    for (const bool immediate : {true, false}) {
        std::vector<std::vector<std::uint32_t>> strata;
        for (const Stratum& stratum : net.strata) {
            if (stratum.immediate != immediate) continue;
            std::vector<std::uint32_t> able;
            for (const std::uint32_t group : stratum.groups) {
                for (const std::uint32_t t : net.groups[group].members) {
                    if (enabled(net, marking, t)) able.push_back(t);
                }
            }
            std::sort(able.begin(), able.end());
            if (!able.empty()) strata.push_back(std::move(able));
        }
        if (strata.empty()) continue;
        if (semantics == Semantics::interleaving) {
            for (const std::uint32_t t : strata.front()) {
                if (!visit({immediate, {t}})) break;
            }
            return true;
        }
        return StepEnumeration(net, marking, semantics, visit, must_end).run(strata, immediate);
    }
    return true;
}

bool fire_step(const CompiledNet& net, const ScheduledStep& step, Marking& marking) {
    for (const std::uint32_t t : step.transitions) take(net, marking, t);
    return std::all_of(step.transitions.begin(), step.transitions.end(),
                       [&](std::uint32_t t) { return give(net, marking, t); });
}

}  // namespace warpnet
