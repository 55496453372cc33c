#pragma once

#include "engine/plan.hpp"
#include "engine/run/replay.hpp"
#include "tests/support/chi_squared.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/reference_run.hpp"

#include <cstdint>
#include <map>
#include <utility>

#include <catch2/catch.hpp>

namespace warpnet::testing {

/// Whether a run is that of the reference. If conflicts over several hubs are resolved in one order, a run
/// may fail to report that it is endless. It never reports an endless run that is none.
inline bool same_run(const RunResult& run, const RunResult& reference) {
    return run.reason == reference.reason && run.steps == reference.steps &&
           run.firings == reference.firings && run.counts == reference.counts &&
           (!run.endless || reference.endless) && run.marking == reference.marking;
}

/// Different runs for different seeds, every third of them short.
inline RunOptions options_for(std::uint64_t seed, std::uint64_t most_steps = 200) {
    RunOptions options;
    options.seed = seed;
    options.run = seed % 5;
    options.max_steps = seed % 3 == 0 ? seed % 40 : most_steps;
    options.count_firings = true;
    return options;
}

/// A run equals that of the reference, observed or not, and its schedule replays to the same end. Returns the
/// reason for its stop. For keyed runs and deterministic policies.
inline StopReason check_against_reference(const Net& net, const Plan& planned, const RunOptions& options) {
    const RunResult expected = reference_run(net, options);
    const RunResult alone = run(planned, options);
    CHECK(same_run(alone, expected));
    ScheduleRecorder recorder;
    CHECK(run(planned, options, &recorder) == alone);
    const RunResult replayed = replay(planned.net(), net, recorder.schedule(), Semantics::maximal);
    CHECK(replayed.marking == expected.marking);
    CHECK(replayed.firings == expected.firings);
    return alone.reason;
}

/// A run is the same on any number of threads, observed or not, and in pieces whose lengths depend on `seed`.
inline void check_made_any_way(const Plan& planned, const RunOptions& options, std::uint64_t seed) {
    const RunResult expected = run(planned, options);
    for (const int threads : {1, 2, 4, 8})
        CHECK(on_threads(threads, [&] { return run(planned, options); }) == expected);
    ScheduleRecorder recorder;
    CHECK(run(planned, options, &recorder) == expected);
    const auto pieces = planned.begin(options, nullptr);
    StopReason reason = StopReason::step_limit;
    for (std::uint64_t steps = seed % 7; reason == StopReason::step_limit && steps < options.max_steps;
         steps += 1 + seed % 11)
        reason = pieces->advance(steps);
    if (reason == StopReason::step_limit) pieces->advance(options.max_steps);
    CHECK(pieces->finish() == expected);
}

/// deviation_of_two_samples() of steps and firings over so many runs of a net by two plans.
inline double deviation_of_executors(const Plan& one, const Plan& other, RunOptions options,
                                     std::uint64_t runs) {
    TwoSamples<std::pair<std::uint64_t, std::uint64_t>> seen;
    for (options.run = 0; options.run < runs; ++options.run) {
        const RunResult a = run(one, options), b = run(other, options);
        ++seen[{a.steps, a.firings}].first;
        ++seen[{b.steps, b.firings}].second;
    }
    return deviation_of_two_samples(seen);
}

inline Plan plan_for(const Net& net, const PlanOptions& how) {
    return plan(compile(net, how.arrays), {}, how);
}

/// Nets by seed, planned for one executor; nets of other executors are skipped.
struct ExecutorCases {
    Net (*net)(std::uint64_t seed);
    PlanOptions how;
    ExecutorKind kind;
    std::uint64_t most_steps = 200;  ///< see options_for()
};

/// check_against_reference() for the runs of so many seeds under keyed and deterministic policies. Returns
/// the number of runs per reason for the stop.
inline std::map<StopReason, std::uint64_t> check_all_against_reference(const ExecutorCases& cases,
                                                                       std::uint64_t seeds) {
    std::map<StopReason, std::uint64_t> reasons;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const Net net = cases.net(seed);
        const Plan planned = plan_for(net, cases.how);
        RunOptions options = options_for(seed, cases.most_steps);
        options.keyed = true;
        for (const Policy policy : {Policy::first, Policy::last, Policy::round_robin, Policy::random}) {
            options.policy = policy;
            if (planned.executor(options) != cases.kind) continue;
            CAPTURE(seed, to_string(policy));
            ++reasons[check_against_reference(net, planned, options)];
        }
    }
    return reasons;
}

/// check_made_any_way() for the runs of so many seeds. Returns the number of checked runs.
inline std::size_t check_all_made_any_way(const ExecutorCases& cases, std::uint64_t seeds) {
    std::size_t checked = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const Plan planned = plan_for(cases.net(seed), cases.how);
        const RunOptions options = options_for(seed, cases.most_steps);
        if (planned.executor(options) != cases.kind) continue;
        ++checked;
        CAPTURE(seed);
        check_made_any_way(planned, options, seed);
    }
    return checked;
}

/// So many random runs per seed, of at most `max_steps` steps, have the same distribution as those of the
/// general executor, which `whole` plans. Returns the number of compared nets.
inline std::size_t check_all_distributed(const ExecutorCases& cases, const PlanOptions& whole,
                                         std::uint64_t seeds, std::uint64_t max_steps, std::uint64_t runs) {
    std::size_t compared = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const Net net = cases.net(seed);
        const Plan planned = plan_for(net, cases.how), general = plan_for(net, whole);
        RunOptions options;
        options.max_steps = max_steps;
        if (planned.executor(options) != cases.kind) continue;
        REQUIRE(general.executor(options) == ExecutorKind::general);
        const double deviation = deviation_of_executors(planned, general, options, runs);
        if (deviation < 0) continue;
        ++compared;
        CAPTURE(seed);
        CHECK(deviation < 5);
    }
    return compared;
}

}  // namespace warpnet::testing
