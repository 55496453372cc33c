// All runs of one net and their report. A policy that serves parts needs parts that compete. If the policy
// decides nothing, the runs use the policy `random`, and the report says so. A run with an observer is a
// single run. Otherwise the runs are divided over cores and ranks. The estimate of a tail uses only runs that
// ended in a dead marking or by the condition. It is reported together with the certified bound.

#include "analysis/studies/runs/run_study.hpp"

#include "analysis/worst/bounds/machine.hpp"
#include "engine/base/with_threads.hpp"
#include "engine/executors/modules/net.hpp"
#include "engine/executors/plain/run.hpp"
#include "engine/formula/condition.hpp"
#include "engine/run/served_parts.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace warpnet::studies {

ExecutorChoice executor_choice(const Plan& plan, const RunOptions& options) {
    return {std::string(to_string(plan.executor(options))), plan.why_not_modules(options)};
}

std::string to_text(const ExecutorChoice& choice) {
    if (choice.reason.empty()) return choice.name;
    return choice.name + (choice.name == "none" ? ": " : "; not modules, because ") + choice.reason;
}

RunStatistics RunReport::complete_runs() const {
    if (std::none_of(results.begin(), results.end(), cut_off)) return warpnet::statistics(results);
    std::vector<RunResult> complete;
    std::remove_copy_if(results.begin(), results.end(), std::back_inserter(complete), cut_off);
    return warpnet::statistics(complete.empty() ? results : complete);
}

std::map<StopReason, std::uint64_t> RunReport::reasons() const {
    std::map<StopReason, std::uint64_t> runs;
    for (const RunResult& result : results) ++runs[result.reason];
    return runs;
}

std::vector<RunResult> RunReport::met() const {
    std::vector<RunResult> found;
    std::copy_if(results.begin(), results.end(), std::back_inserter(found),
                 [](const RunResult& result) { return result.reason == StopReason::condition; });
    return found;
}

bool RunReport::followed_schedule(StopReason reason) const {
    return policy == replay_policy && reason == StopReason::step_limit;
}

namespace {

/// An observer of one run, with the statistics of its nodes if they are requested.
class OneRun : public Observer {
  public:
    OneRun(const CompiledNet& net, Observer* observer, std::optional<NodeTally>& tally)
        : observer_(observer) {
        if (tally) tally_.emplace(net, *tally);
    }
    Observer* observer() { return tally_ ? this : observer_; }
    void step(std::uint64_t number, bool immediate, std::span<const Firing> firings,
              std::span<const Tokens> marking) override {
        if (observer_ != nullptr) observer_->step(number, immediate, firings, marking);
        tally_->step(number, immediate, firings, marking);
    }
    void finish() {
        if (tally_) tally_->finish();
    }

  private:
    Observer* observer_;
    std::optional<RunTally> tally_;
};

/// All but the runs.
RunReport report_of(const Net& net, const CompiledNet& compiled, const RunStudyOptions& options) {
    const ManyOptions& many = options.runs.many;
    RunReport report{.net = net,
                     .semantics = many.run.semantics,
                     .policy = std::string(to_string(many.run.policy)),
                     .executor = {"reference", ""},
                     .seed = many.run.seed,
                     .requested = many.runs,
                     .results = {},
                     .markings = many.markings,
                     .counts = many.run.count_firings,
                     .until = options.until};
    if (options.statistics) {
        report.statistics.emplace(compiled);
        report.hubs = shared_places(compiled);
    }
    return report;
}

std::vector<RunResult> make_runs(const Plan& planned, const ranks::DividedRunOptions& runs,
                                 Observer* observer, RunReport& report) {
    const ManyOptions& many = runs.many;
    if (observer == nullptr)
        return runs.ranks == nullptr && !runs.save ? run_many(planned, many)
                                                   : ranks::divided_runs(planned, runs);
    OneRun one(planned.net(), observer, report.statistics);
    RunResult result = many.plain ? plain_run(planned.net(), many.run, one.observer())
                                  : run(planned, many.run, one.observer());
    one.finish();
    return {std::move(result)};
}

constexpr std::uint64_t watched_steps = 100'000;           // of one run, for the report
constexpr std::uint64_t watched_steps_of_each = 10'000;    // of each long run
constexpr std::size_t most_watched_transitions = 100'000;  // a step may fire them all

/// Whether a marking that comes back tells that a run never ends, and is searched for.
bool watches_markings(const Net& net, const ManyOptions& many) {
    const bool by_marking = many.run.until == nullptr || many.run.until->transitions().empty();
    return by_marking && !many.plain && net.transitions().size() <= most_watched_transitions;
}

/// The first run without a known end, if a marking of it comes back. RunResult::endless is set if that goes
/// on forever.
std::optional<RepeatingRun> repeating_run(const Plan& planned, RunOptions options,
                                          std::vector<RunResult>& results) {
    const auto found = std::ranges::find_if(results, [&](const RunResult& result) {
        return result.reason == StopReason::step_limit &&
               (!result.endless || result.steps < options.max_steps);
    });
    if (found == results.end() || options.limits.must_end()) return {};
    options.run = found->run;
    const auto marking = states::repeated_marking(planned, options, watched_steps);
    if (!marking) return {};
    found->endless |= marking->forever;
    return RepeatingRun{found->run, *marking};
}

TailEstimate tail_of(const RunReport& report) {
    std::vector<std::uint64_t> steps;
    for (const RunResult& result : report.results) {
        if (result.reason == StopReason::dead || result.reason == StopReason::condition)
            steps.push_back(result.steps);
    }
    return estimate_tail(steps, report.seed);
}

}  // namespace

RunReport run_study(const Net& net, const RunStudyOptions& options) {
    CompiledNet compiled = compile(net);
    RunReport report = report_of(net, compiled, options);
    ranks::DividedRunOptions runs = options.runs;
    RunOptions& run = runs.many.run;
    std::optional<Condition> until;
    if (!options.until.empty()) run.until = &until.emplace(parse_condition(options.until, net));
    std::optional<ServedParts> served;
    if (serves_parts(run.policy)) {
        served = worst::parts_to_order(net, compiled);
        report.policy_decides = served.has_value();
        if (served)
            run.served = &*served;
        else
            run.policy = Policy::random;
    }
    if (report.statistics) runs.many.tally = &*report.statistics;
    // A plan that is given the net may keep less of it.
    const bool keeps_net = options.observer != nullptr || options.statistics;
    const Plan planned = runs.many.plain ? plan_nothing(compiled)
                         : keeps_net     ? plan(compiled, run)
                                         : plan(std::move(compiled), run);
    if (!runs.many.plain) report.executor = executor_choice(planned, run);
    const bool watches = watches_markings(net, runs.many);
    if (options.stop_endless && watches) {
        runs.many.never_ends = [&planned](const RunOptions& of_run) {
            const auto marking = states::repeated_marking(planned, of_run, watched_steps_of_each);
            return marking && marking->forever;
        };
    }
    {
        std::atomic<std::uint64_t> finished = 0;
        if (options.progress) runs.many.finished = &finished;
        const auto progress = begin_part(options.progress, {"runs", runs.many.runs, &finished});
        report.results = make_runs(planned, runs, options.observer, report);
    }
    if (watches) report.repeats = repeating_run(planned, run, report.results);
    report.stopped_endless =
        static_cast<std::uint64_t>(std::ranges::count_if(report.results, [&](const RunResult& result) {
            return result.reason == StopReason::step_limit && result.steps < run.max_steps;
        }));
    report.interrupted = run.limits.interrupted();
    if (options.tail) report.tail = tail_of(report);
    if (options.tail && run.semantics == Semantics::maximal && options.until.empty())
        report.bound = worst::quick_bound(net);
    return report;
}

std::vector<RunReport> semantics_study(const Net& net, RunStudyOptions options) {
    std::vector<RunReport> reports;
    for (const Semantics semantics : each_semantics) {
        options.runs.many.run.semantics = semantics;
        reports.push_back(run_study(net, options));
    }
    return reports;
}

worst::StepDistribution distribution_study(const Net& net, const worst::DistributionOptions& options,
                                           int threads) {
    const Plan planned = plan(compile(net));
    return with_threads(threads, [&] { return worst::step_distribution(planned, options); });
}

RunReport replay_study(const Net& net, const Schedule& schedule, const RunStudyOptions& options) {
    const CompiledNet compiled = compile(net);
    RunReport report = report_of(net, compiled, options);
    report.policy = replay_policy;
    OneRun one(compiled, options.observer, report.statistics);
    const RunOptions& run = options.runs.many.run;
    RunResult result = replay(compiled, net, schedule, run.semantics, one.observer(), run.limits);
    one.finish();
    if (run.count_firings) {
        result.counts.assign(net.transitions().size(), 0);
        for (const ScheduledStep& step : schedule)
            for (const std::uint32_t transition : step.transitions) ++result.counts[transition];
    }
    report.results = {std::move(result)};
    report.interrupted = run.limits.interrupted();
    return report;
}

}  // namespace warpnet::studies
