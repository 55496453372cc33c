// The reference executor. A step is chosen as in its definition. The enabled transitions of each priority
// level are collected, the policy puts them into an order, and each one that still finds its tokens is added.
// Nothing is cached between steps. The other executors must make the same runs, and the tests compare them on
// random nets.

#include "engine/executors/plain/run.hpp"

#include "engine/compile/firing_rule.hpp"
#include "engine/executors/loop/conflict_order.hpp"
#include "engine/run/executor.hpp"

#include <algorithm>
#include <numeric>

namespace warpnet {

namespace {

/// The step that a policy chooses in a marking. A transition occurs once per firing. Empty if no transition
/// can fire.
std::vector<std::uint32_t> choose_step(const CompiledNet& net, const Marking& marking, Semantics semantics,
                                       bool immediate, ConflictOrder& order, const WorkLimits& limits) {
    std::vector<std::uint32_t> step;
    Marking residual = marking;
    const auto add = [&](std::uint32_t t) {
        take(net, residual, t);
        step.push_back(t);
    };
    for (const PriorityLevel& priority_level : net.priority_levels) {
        if (priority_level.immediate != immediate) continue;
        std::vector<std::uint32_t> competitors;
        for (const std::uint32_t group : priority_level.groups) {
            for (const std::uint32_t t : net.groups[group].members) {
                if (enabled(net, marking, t)) competitors.push_back(t);
            }
        }
        std::sort(competitors.begin(), competitors.end());
        if (semantics == Semantics::maximal) {
            order.arrange(competitors);
            for (const std::uint32_t t : competitors) {
                if (fits(net, residual, t)) add(t);
            }
        } else {
            const auto no_room = [&](std::uint32_t t) { return !fits(net, residual, t); };
            for (;;) {
                competitors.erase(std::remove_if(competitors.begin(), competitors.end(), no_room),
                                  competitors.end());
                if (competitors.empty()) break;
                add(competitors[order.pick(competitors)]);
                if (semantics == Semantics::interleaving) return step;
                if (step.size() % firings_between_looks == 0 && limits.must_end()) return step;
            }
        }
    }
    return step;
}

/// Combines the repeated transitions of a sorted step.
std::vector<Firing> collect(const std::vector<std::uint32_t>& step) {
    std::vector<Firing> firings;
    for (const std::uint32_t t : step) {
        if (!firings.empty() && firings.back().transition == t) {
            ++firings.back().times;
        } else {
            firings.push_back({t, 1});
        }
    }
    return firings;
}

}  // namespace

ScheduledStep plain_step(const CompiledNet& net, const Marking& marking, Semantics semantics,
                         ConflictOrder& order, const WorkLimits& limits) {
    ScheduledStep step{true, choose_step(net, marking, semantics, true, order, limits)};
    if (step.transitions.empty()) step = {false, choose_step(net, marking, semantics, false, order, limits)};
    std::sort(step.transitions.begin(), step.transitions.end());
    return step;
}

RunResult plain_run(const CompiledNet& net, const RunOptions& options, Observer* observer) {
    require_bounded_steps(net, options.semantics);
    RunResult result;
    result.run = options.run;
    result.marking = net.initial;
    std::vector<std::uint64_t> counts(net.transition_count(), 0);
    ConflictOrder order(options, net.transition_count());
    StopCheck stop(options);

    std::uint64_t immediate_rounds = 0;
    for (;; order.next_round()) {
        if (options.until != nullptr && options.until->holds(result.marking, counts)) {
            result.reason = StopReason::condition;
            break;
        }
        const auto [immediate, step] =
            plain_step(net, result.marking, options.semantics, order, options.limits);
        if (step.empty()) break;
        if (step.size() >= firings_between_looks) {
            if (const auto reason = stop.asked_to()) {
                result.reason = *reason;
                break;
            }
        }
        immediate_rounds = immediate ? immediate_rounds + 1 : 0;
        if (const auto reason = stop.reached(result.steps, immediate, immediate_rounds)) {
            result.reason = *reason;
            break;
        }
        if (!immediate) ++result.steps;
        result.firings += step.size();
        for (const std::uint32_t t : step) {
            take(net, result.marking, t);
            order.note_fired(t);
            ++counts[t];
        }
        bool in_range = true;
        for (const std::uint32_t t : step) in_range = in_range && give(net, result.marking, t);
        if (!in_range) {
            result.reason = StopReason::overflow;
            break;
        }
        if (observer != nullptr) observer->step(result.steps, immediate, collect(step), result.marking);
    }
    if (options.count_firings) result.counts = std::move(counts);
    return result;
}

}  // namespace warpnet
