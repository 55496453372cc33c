// The run of a policy that serves parts is unique if no part ever has a choice. So a run is recorded together
// with a check, step by step, of whether transitions of one part compete for the tokens of a place. Cost:
// O(arcs) per step.
//
// Whether a run is endless follows from a marking that recurs, if the policy looks only at the marking.
// Brent's method [Brent80] finds the cycle with one stored marking and one comparison per step. Under any
// other policy a run repeats such a cycle forever if nothing was left to decide within it.

#include "analysis/states/steps/only_run.hpp"

#include "engine/compile/firing_rule.hpp"
#include "engine/plan.hpp"
#include "engine/run/served_parts.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>
#include <vector>

namespace warpnet::states {

namespace {

/// The transitions that may compete for the tokens of a place.
class Rivals {
  public:
    /// `part`: of each transition; only transitions of one part compete. Empty: all do.
    Rivals(const CompiledNet& net, std::span<const std::uint32_t> part) : net_(net) {
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> takers;
        for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
            for (const PlaceWeight input : net.inputs[t])
                takers[{input.place, part.empty() ? 0 : part[t]}].push_back(t);
        }
        for (auto& [place_and_part, transitions] : takers) {
            if (transitions.size() > 1) rivals_.emplace_back(place_and_part.first, std::move(transitions));
        }
    }

    /// Transitions compete if the tokens of a place do not suffice for those that could fire.
    bool compete(std::span<const Tokens> marking) const {
        return std::any_of(rivals_.begin(), rivals_.end(), [&](const auto& rivals) {
            Tokens left = marking[rivals.first];
            return std::any_of(rivals.second.begin(), rivals.second.end(), [&](std::uint32_t t) {
                if (!enabled(net_, marking, t)) return false;
                for (const PlaceWeight input : net_.inputs[t])
                    left -= input.place == rivals.first ? input.weight : 0;
                return left < 0;
            });
        });
    }

  private:
    const CompiledNet& net_;
    std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>> rivals_;  // a place, takers of one part
};

/// Records a run, and whether a part has a choice in it.
class ChoiceWatch final : public Observer {
  public:
    ChoiceWatch(const CompiledNet& net, const RunOptions& options, bool with_choices)
        : rivals_(net, options.served->part), limits_(options.limits), with_choices_(with_choices) {
        choice_ = rivals_.compete(net.initial);
    }

    void step(std::uint64_t number, bool immediate, std::span<const Firing> firings,
              std::span<const Tokens> marking) override {
        if (ended_.load(std::memory_order_relaxed)) return;
        recorder_.step(number, immediate, firings, marking);
        choice_ = choice_ || rivals_.compete(marking);
        if ((choice_ && !with_choices_) || limits_.interrupted()) ended_.store(true);
    }

    bool choice() const noexcept { return choice_; }
    const std::atomic<bool>& ended() const noexcept { return ended_; }
    const Schedule& schedule() const { return recorder_.schedule(); }

  private:
    const Rivals rivals_;
    const WorkLimits& limits_;
    const bool with_choices_;
    ScheduleRecorder recorder_;
    bool choice_ = false;
    std::atomic<bool> ended_ = false;
};

}  // namespace

std::optional<CompleteRun> run_of_policy(const CompiledNet& net, const RunOptions& options,
                                         bool with_choices) {
    ChoiceWatch watch(net, options, with_choices);
    if (watch.choice() && !with_choices) return {};
    RunOptions watched = options;
    watched.limits.interrupt = &watch.ended();
    const RunResult result = run(net, watched, &watch);
    if (result.reason != StopReason::dead || (watch.choice() && !with_choices)) return {};
    return CompleteRun{result.steps, watch.schedule(), !watch.choice()};
}

namespace {

constexpr std::uint64_t most_watched = 100'000;  // steps

/// Whether a marking may leave a choice to the policy. It certainly leaves none if no transitions compete.
/// Priorities, which may decide such a competition, are not considered.
class Choices {
  public:
    Choices(const CompiledNet& net, Semantics semantics)
        : net_(net), rivals_(net, {}), maximal_(semantics == Semantics::maximal) {}

    bool may_choose(std::span<const Tokens> marking) const {
        if (maximal_) return rivals_.compete(marking);
        std::size_t able = 0;
        for (std::uint32_t t = 0; t < net_.transition_count() && able < 2; ++t)
            able += enabled(net_, marking, t) ? 1U : 0U;
        return able > 1;
    }

  private:
    const CompiledNet& net_;
    const Rivals rivals_;
    const bool maximal_;
};

/// Ends a run if its marking recurs, or if it has been watched for long enough. If `choices` are given, the
/// steps from a marking to its recurrence must leave none to the policy.
class CycleWatch final : public Observer {
  public:
    CycleWatch(const CompiledNet& net, const WorkLimits& limits, std::uint64_t most,
               const Choices* choices = nullptr)
        : limits_(limits), most_(most), choices_(choices), kept_(net.initial) {
        note_choice(net.initial);
    }

    void step(std::uint64_t number, bool /*immediate*/, std::span<const Firing> /*firings*/,
              std::span<const Tokens> marking) override {
        if (ended_.load(std::memory_order_relaxed)) return;
        ++steps_;
        timed_ = number;
        const bool recurs = std::ranges::equal(marking, kept_);
        found_ = recurs && !choice_;
        if (found_ || (recurs && !recurrence_))
            recurrence_ = RepeatedMarking{kept_after_, number - kept_after_, found_};
        if (found_ || steps_ == most_ || limits_.interrupted()) return ended_.store(true);
        if (steps_ >= 2 * kept_at_) {
            kept_.assign(marking.begin(), marking.end());
            kept_at_ = steps_;
            kept_after_ = number;
            choice_ = false;
        }
        note_choice(marking);
    }

    const std::atomic<bool>& ended() const noexcept { return ended_; }
    bool found() const noexcept { return found_; }
    std::uint64_t steps() const noexcept { return steps_; }
    std::uint64_t timed_steps() const noexcept { return timed_; }
    std::uint64_t length() const noexcept { return steps_ - kept_at_; }
    /// The recurrence without a choice, or else the first one.
    const std::optional<RepeatedMarking>& recurrence() const noexcept { return recurrence_; }

  private:
    void note_choice(std::span<const Tokens> marking) {
        choice_ = choice_ || (choices_ != nullptr && choices_->may_choose(marking));
    }

    const WorkLimits& limits_;
    const std::uint64_t most_;
    const Choices* choices_;
    Marking kept_;
    std::uint64_t kept_at_ = 0;     // steps before the stored marking
    std::uint64_t kept_after_ = 0;  // of these, the timed ones
    std::uint64_t steps_ = 0, timed_ = 0;
    bool choice_ = false;  // in a step since the stored marking
    bool found_ = false;
    std::optional<RepeatedMarking> recurrence_;
    std::atomic<bool> ended_ = false;
};

/// The first steps of a run.
class FirstSteps final : public Observer {
  public:
    explicit FirstSteps(std::uint64_t most) : most_(most) {}

    void step(std::uint64_t number, bool immediate, std::span<const Firing> firings,
              std::span<const Tokens> marking) override {
        if (recorder_.schedule().size() < most_) recorder_.step(number, immediate, firings, marking);
        if (recorder_.schedule().size() == most_) ended_.store(true);
    }

    const std::atomic<bool>& ended() const noexcept { return ended_; }
    const Schedule& schedule() const noexcept { return recorder_.schedule(); }

  private:
    std::uint64_t most_;
    ScheduleRecorder recorder_;
    std::atomic<bool> ended_ = false;
};

/// The steps that were watched, up to the beginning of the cycle.
void add_cycle(const Executor& executor, RunOptions options, const CycleWatch& watch, TriedRun& tried) {
    FirstSteps first(watch.steps());
    options.max_steps = watch.timed_steps();
    options.limits.interrupt = &first.ended();
    run(executor, options, &first);
    Schedule& prefix = tried.prefix;
    Schedule& cycle = tried.cycle;
    prefix = first.schedule();
    if (prefix.size() != watch.steps()) return prefix.clear();  // a time limit
    const auto begin = prefix.end() - static_cast<std::ptrdiff_t>(watch.length());
    cycle.assign(begin, prefix.end());
    prefix.erase(begin, prefix.end());
    // The last steps of the prefix may already be steps of the cycle.
    std::size_t shared = 0;
    while (shared < prefix.size() &&
           prefix[prefix.size() - 1 - shared] == cycle[cycle.size() - 1 - shared % cycle.size()])
        ++shared;
    prefix.resize(prefix.size() - shared);
    std::rotate(cycle.begin(), cycle.end() - static_cast<std::ptrdiff_t>(shared % cycle.size()), cycle.end());
}

TriedRun try_one(const Executor& executor, const RunOptions& options) {
    TriedRun tried;
    CycleWatch watch(executor.net(), options.limits, most_watched);
    RunOptions watched = options;
    watched.max_steps = std::min(options.max_steps, most_watched);
    watched.limits.interrupt = &watch.ended();
    tried.reason = run(executor, watched, &watch).reason;
    if (tried.reason == StopReason::dead || tried.reason == StopReason::overflow) return tried;
    if (watch.found() && serves_parts(options.policy)) {
        // The future of such a run depends on more than the marking.
        RunOptions again = options;
        again.max_steps = watch.timed_steps();
        tried.endless = watch.length() == 1 && run(executor, again).endless;
    } else {
        tried.endless = watch.found();
    }
    if (tried.endless) {
        add_cycle(executor, options, watch, tried);
        return tried;
    }
    const RunResult whole = run(executor, options);
    tried.reason = whole.reason;
    tried.endless = whole.endless;
    return tried;
}

}  // namespace

std::optional<RepeatedMarking> repeated_marking(const Executor& executor, const RunOptions& options,
                                                std::uint64_t most_steps) {
    const CompiledNet& net = executor.net();
    const bool by_marking = options.policy == Policy::first || options.policy == Policy::last;
    std::optional<Choices> choices;
    if (!by_marking) choices.emplace(net, options.semantics);
    CycleWatch watch(net, options.limits, most_steps, choices ? &*choices : nullptr);
    RunOptions watched = options;
    watched.max_steps = std::min(options.max_steps, most_steps);
    watched.limits.interrupt = &watch.ended();
    run(executor, watched, &watch);
    if (watch.recurrence() && watch.recurrence()->period == 0) return {};
    return watch.recurrence();
}

TriedRun try_to_end(const Executor& executor, const RunOptions& options) {
    std::vector<Policy> policies = {Policy::first, Policy::last};
    if (serves_parts(options.policy)) policies = {options.policy};
    TriedRun tried;
    RunOptions with = options;
    for (const Policy policy : policies) {
        with.policy = policy;
        tried = try_one(executor, with);
        if (tried.endless || tried.reason != StopReason::dead) break;
    }
    return tried;
}

}  // namespace warpnet::states
