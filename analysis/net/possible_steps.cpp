#include "analysis/net/possible_steps.hpp"

#include "engine/error.hpp"
#include "engine/firing_rule.hpp"

#include <algorithm>

namespace warpnet {

namespace {

/// Backtracking over the competitors, stratum by stratum: each either joins the step or must be blocked by
/// it.
class StepEnumeration {
  public:
    StepEnumeration(const CompiledNet& net, std::span<const Tokens> marking,
                    const std::function<bool(const ScheduledStep&)>& visit)
        : net_(net), residual_(marking.begin(), marking.end()), wanted_(marking.size(), 0), visit_(visit) {}

    bool run(const std::vector<std::vector<std::uint32_t>>& strata, bool immediate) {
        step_.immediate = immediate;
        return serve_stratum(strata, 0);
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

    /// `wanted_` holds, per place, what the competitors not yet decided on may take.
    bool decide(const std::vector<std::uint32_t>& competitors, std::size_t at,
                std::vector<std::uint32_t>& left_out, const std::function<bool()>& next) {
        if (at == competitors.size()) return next();
        const std::uint32_t t = competitors[at];
        want(t, -1);
        bool go_on = true;
        if (fits(net_, residual_, t)) {
            take(net_, residual_, t);
            step_.transitions.push_back(t);
            if (all_can_be_blocked(left_out)) go_on = decide(competitors, at + 1, left_out, next);
            step_.transitions.pop_back();
            for (const auto [place, weight] : net_.inputs[t]) residual_[place] += weight;
        }
        if (go_on) {
            left_out.push_back(t);
            if (all_can_be_blocked(left_out)) go_on = decide(competitors, at + 1, left_out, next);
            left_out.pop_back();
        }
        want(t, 1);
        return go_on;
    }

    /// Whether the undecided ones can still take so much that `t` does not fit.
    bool can_be_blocked(std::uint32_t t) const {
        const auto inputs = net_.inputs[t];
        return std::any_of(inputs.begin(), inputs.end(), [&](PlaceWeight input) {
            return residual_[input.place] - wanted_[input.place] < input.weight;
        });
    }
    bool all_can_be_blocked(const std::vector<std::uint32_t>& left_out) const {
        return std::all_of(left_out.begin(), left_out.end(),
                           [&](std::uint32_t t) { return can_be_blocked(t); });
    }

    void want(std::uint32_t t, Tokens sign) {
        for (const auto [place, weight] : net_.inputs[t]) wanted_[place] += sign * weight;
    }

    const CompiledNet& net_;
    Marking residual_;
    std::vector<Tokens> wanted_;
    const std::function<bool(const ScheduledStep&)>& visit_;
    ScheduledStep step_;
};

}  // namespace

void for_each_possible_step(const CompiledNet& net, std::span<const Tokens> marking, Semantics semantics,
                            const std::function<bool(const ScheduledStep&)>& visit) {
    if (semantics == Semantics::multiset) {
        throw InputError(
            "all steps of a marking are enumerated under maximal and interleaving semantics only");
    }
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
                if (!visit({immediate, {t}})) return;
            }
        } else {
            StepEnumeration(net, marking, visit).run(strata, immediate);
        }
        return;
    }
}

bool fire_step(const CompiledNet& net, const ScheduledStep& step, Marking& marking) {
    for (const std::uint32_t t : step.transitions) take(net, marking, t);
    return std::all_of(step.transitions.begin(), step.transitions.end(),
                       [&](std::uint32_t t) { return give(net, marking, t); });
}

}  // namespace warpnet
