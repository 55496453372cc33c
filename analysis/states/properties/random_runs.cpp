// Runs the net 24 times with the random policy of the requested semantics, several runs at a time. An
// observer checks every marking of a run for the open goals. Findings are entered in the order of the runs,
// so the result does not depend on threads. Random runs reach deep markings that a breadth-first search does
// not reach, and cost no memory. They prove only that a marking is reachable.

#include "analysis/states/properties/parts.hpp"
#include "engine/plan.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <tbb/parallel_for.h>

namespace warpnet::states {

namespace {

constexpr std::size_t runs_at_a_time = 4;

/// The goals of a run, compiled once for all runs.
struct Wanted {
    struct Reach {
        std::size_t goal;
        Condition condition;
    };
    std::vector<Reach> conditions;
    std::vector<std::size_t> dead;  // goals that ask for a dead marking and nothing else
};

/// Checks every marking of one run.
class GoalObserver : public Observer {
  public:
    GoalObserver(const Wanted& wanted, const Goals& goals, const RandomRunsOptions& options,
                 const Marking& initial)
        : wanted_(wanted),
          goals_(goals),
          options_(options),
          initial_(initial),
          hits_(wanted.conditions.size()) {
        for (const MaximumGoal& goal : goals.maxima) best_.push_back(goal.best);
        best_at_.resize(best_.size());
        changes_.assign(goals.changes.begin(), goals.changes.end());
        missing_ = wanted.conditions.size();
        for (const MaximumGoal& goal : goals.maxima)
            if (!goal.exact) ++missing_;
        missing_ += wanted.dead.size();
        if (!changes_.empty()) ++missing_;
    }
    const std::atomic<bool>& enough() const noexcept { return enough_; }

    void step(std::uint64_t /*number*/, bool immediate, std::span<const Firing> firings,
              std::span<const Tokens> marking) override {
        if (options_.schedules) note(immediate, firings);
        ++steps_;
        const auto tokens = [&](std::uint32_t place) { return marking[place]; };
        for (std::size_t i = 0; i < hits_.size(); ++i) {
            if (hits_[i] || !wanted_.conditions[i].condition.holds(tokens)) continue;
            hits_[i] = At{Marking(marking.begin(), marking.end()), steps_};
            --missing_;
        }
        for (std::size_t i = 0; i < best_.size(); ++i) {
            if (goals_.maxima[i].exact) continue;
            const WideSum value = value_of(goals_.maxima[i].sum, tokens);
            if (value <= best_[i] && !goals_.maxima[i].marking.empty()) continue;
            best_[i] = value;
            best_at_[i] = At{Marking(marking.begin(), marking.end()), steps_};
        }
        for (std::size_t p = 0; p < changes_.size(); ++p)
            if (marking[p] != initial_[p]) changes_[p] = 1;
        if (missing_ == 0 || steps_ >= options_.max_steps ||
            (steps_ % 1024 == 0 && options_.limits.interrupted()))
            enough_.store(true);
    }

    void enter(const RunResult& run, Goals& goals) {
        for (std::size_t i = 0; i < hits_.size(); ++i) {
            if (hits_[i]) enter(goals.reach[wanted_.conditions[i].goal], *hits_[i]);
        }
        if (run.reason == StopReason::dead) {
            for (const std::size_t goal : wanted_.dead) enter(goals.reach[goal], {run.marking, steps_});
        }
        for (std::size_t i = 0; i < best_.size(); ++i) {
            MaximumGoal& goal = goals.maxima[i];
            if (!best_at_[i] || (best_[i] <= goal.best && !goal.marking.empty())) continue;
            goal.best = best_[i];
            goal.marking = best_at_[i]->marking;
            if (options_.schedules) goal.schedule = schedule(best_at_[i]->steps);
            goal.exact = goal.at_most && goal.best >= *goal.at_most;
        }
        for (std::size_t p = 0; p < changes_.size(); ++p) goals.changes[p] |= changes_[p];
    }

  private:
    struct At {
        Marking marking;
        std::uint64_t steps;
    };

    void note(bool immediate, std::span<const Firing> firings) {
        ScheduledStep step;
        step.immediate = immediate;
        for (const Firing& firing : firings)
            step.transitions.insert(step.transitions.end(), static_cast<std::size_t>(firing.times),
                                    firing.transition);
        steps_made_.push_back(std::move(step));
    }
    Schedule schedule(std::uint64_t steps) const {
        return {steps_made_.begin(), steps_made_.begin() + static_cast<std::ptrdiff_t>(steps)};
    }
    void enter(ReachGoal& goal, const At& at) const {
        if (goal.reachable) return;
        goal.reachable = true;
        goal.marking = at.marking;
        if (options_.schedules) goal.schedule = schedule(at.steps);
    }

    const Wanted& wanted_;
    const Goals& goals_;
    const RandomRunsOptions& options_;
    const Marking& initial_;
    std::vector<std::optional<At>> hits_;
    std::vector<WideSum> best_;
    std::vector<std::optional<At>> best_at_;
    std::vector<std::uint8_t> changes_;
    std::size_t missing_ = 0;
    Schedule steps_made_;
    std::uint64_t steps_ = 0;
    std::atomic<bool> enough_ = false;
};

Wanted wanted_of(const Net& net, const Goals& goals) {
    Wanted wanted;
    for (std::size_t i = 0; i < goals.reach.size(); ++i) {
        if (goals.reach[i].reachable) continue;
        if (goals.reach[i].condition.kind == Formula::Kind::dead) {
            wanted.dead.push_back(i);
        } else {
            wanted.conditions.push_back({i, {goals.reach[i].condition, net}});
        }
    }
    return wanted;
}

bool is_open(const Goals& goals) {
    return std::any_of(goals.reach.begin(), goals.reach.end(),
                       [](const ReachGoal& goal) { return !goal.reachable; }) ||
           std::any_of(goals.maxima.begin(), goals.maxima.end(),
                       [](const MaximumGoal& goal) { return !goal.exact; }) ||
           std::find(goals.changes.begin(), goals.changes.end(), 0) != goals.changes.end();
}

}  // namespace

void try_random_runs(const Net& net, const CompiledNet& compiled, const RandomRunsOptions& options,
                     Goals& goals) {
    if (options.runs == 0 || !is_open(goals)) return;
    const Plan planned = plan(compiled, {.semantics = options.semantics});
    for (std::uint64_t first = 0; first < options.runs && is_open(goals); first += runs_at_a_time) {
        if (options.limits.must_end()) return;
        const Wanted wanted = wanted_of(net, goals);
        std::array<std::optional<GoalObserver>, runs_at_a_time> observers;
        std::array<RunResult, runs_at_a_time> results;
        tbb::parallel_for(std::size_t{0}, runs_at_a_time, [&](std::size_t i) {
            GoalObserver& observer = observers[i].emplace(wanted, goals, options, compiled.initial);
            RunOptions run_options;
            run_options.semantics = options.semantics;
            run_options.seed = options.seed;
            run_options.run = first + i;
            run_options.max_steps = options.max_steps;
            run_options.limits = {.deadline = options.limits.deadline, .interrupt = &observer.enough()};
            results[i] = run(planned, run_options, &observer);
        });
        for (std::size_t i = 0; i < runs_at_a_time; ++i) observers[i]->enter(results[i], goals);
    }
}

}  // namespace warpnet::states
