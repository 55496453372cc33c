// CPU time of one run of the `warps` net (200,50,20) with 2 schedulers: the general executor, the reference
// executor of the engine, and the plain baseline. Before anything is timed, the step counts of the executors
// are compared.

#include "engine/executors/general/net.hpp"
#include "engine/executors/plain/run.hpp"
#include "engine/plan.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/bench/plain_baseline.hpp"
#include "tests/support/allocated_bytes.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>

#include <benchmark/benchmark.h>

using namespace warpnet;
using warpnet::bench::PlainBaseline;
using warpnet::testing::allocated_bytes;

namespace {

Net paper_net(benchmark::State& state) {
    netgen::WarpsSpec spec;
    spec.warps.assign(static_cast<std::size_t>(state.range(0)), {200, 50, 20});
    spec.global_latency = state.range(1);
    spec.shared_latency = state.range(2);
    return netgen::warps_net(spec);
}

constexpr std::size_t compared_runs = 40;

/// Step counts of the plain baseline; computed once per net.
const RunStatistics& baseline_steps(benchmark::State& state, const Net& net) {
    static std::map<std::array<std::int64_t, 3>, RunStatistics> known;
    const auto [at, added] = known.try_emplace({state.range(0), state.range(1), state.range(2)});
    if (added) {
        PlainBaseline baseline(net);
        std::vector<RunResult> results(compared_runs);
        for (std::uint64_t i = 0; i < results.size(); ++i) results[i].steps = baseline.run(i);
        at->second = statistics(results);
    }
    return at->second;
}

/// The means must agree within five standard errors, or the program ends.
void check_equal_steps(const RunStatistics& theirs, const Plan& planned) {
    ManyOptions options;
    options.runs = compared_runs;
    const RunStatistics ours = statistics(run_many(planned, options));
    const double variance = ours.stddev_steps * ours.stddev_steps + theirs.stddev_steps * theirs.stddev_steps;
    if (std::abs(ours.mean_steps - theirs.mean_steps) > 5 * std::sqrt(variance / compared_runs)) {
        std::fprintf(stderr, "step counts differ: %f and %f\n", ours.mean_steps, theirs.mean_steps);
        std::exit(1);
    }
}

void count(benchmark::State& state, std::uint64_t steps, std::uint64_t firings) {
    state.counters["steps"] = static_cast<double>(steps);
    if (firings > 0) {
        state.counters["firings/s"] =
            benchmark::Counter(static_cast<double>(firings), benchmark::Counter::kIsIterationInvariantRate);
    }
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// CPU seconds of one run of the plain baseline: the mean over at least half a second.
double baseline_seconds(const Net& net) {
    PlainBaseline baseline(net);
    std::uint64_t run = 0;
    const double begun = cpu_seconds();
    while (cpu_seconds() - begun < 0.5) benchmark::DoNotOptimize(baseline.run(++run));
    return (cpu_seconds() - begun) / static_cast<double>(run);
}

/// The counter `x_plain`: the speedup in CPU seconds over the plain baseline, which is measured before and
/// after.
void one_run(benchmark::State& state, const PlanOptions& how) {
    const Net net = paper_net(state);
    const Plan planned = plan(compile(net), {}, how);
    check_equal_steps(baseline_steps(state, net), planned);
    const double before = baseline_seconds(net);
    RunOptions options;
    RunResult result;
    const double begun = cpu_seconds();
    for (auto iteration : state) {
        ++options.run;
        benchmark::DoNotOptimize(result = run(planned, options));
    }
    const double ours = (cpu_seconds() - begun) / static_cast<double>(state.iterations());
    count(state, result.steps, result.firings);
    state.counters["x_plain"] = (before + baseline_seconds(net)) / 2 / ours;
}

constexpr PlanOptions without_modules = {.modules = false};

void general(benchmark::State& state) { one_run(state, without_modules); }
void module(benchmark::State& state) { one_run(state, {}); }

/// compile(), plan() and the first run.
void cold(benchmark::State& state, const PlanOptions& how) {
    const Net net = paper_net(state);
    for (auto iteration : state) benchmark::DoNotOptimize(run(plan(compile(net), {}, how)));
}
void compile_alone(benchmark::State& state, const PlanOptions& how) {
    const Net net = paper_net(state);
    for (auto iteration : state) benchmark::DoNotOptimize(plan(compile(net), {}, how).executor());
}

/// A million transitions; the counter `bytes`: memory per transition, as the allocator counts it.
void compile_million(benchmark::State& state) {
    netgen::WarpsSpec spec;
    spec.warps.assign(66'666, {200, 50, 20});
    const Net net = netgen::warps_net(spec);
    for (auto iteration : state) {
        const std::size_t before = allocated_bytes();
        const CompiledNet compiled = compile(net);
        const GeneralNet general = prepare_general(compiled);
        state.counters["bytes"] =
            static_cast<double>(allocated_bytes() - before) / static_cast<double>(net.transitions().size());
    }
}

void plain_baseline(benchmark::State& state) {
    PlainBaseline baseline(paper_net(state));
    std::uint64_t run = 0, steps = 0;
    for (auto iteration : state) benchmark::DoNotOptimize(steps = baseline.run(++run));
    count(state, steps, 0);
}

/// The wall time of 1,000 runs on a number of threads.
void thousand_runs(benchmark::State& state) {
    netgen::WarpsSpec spec;
    spec.warps.assign(16, {200, 50, 20});
    const CompiledNet net = compile(netgen::warps_net(spec));
    ManyOptions options;
    options.runs = 1000;
    options.threads = static_cast<int>(state.range(0));
    for (auto iteration : state) benchmark::DoNotOptimize(run_many(net, options));
}

void sizes(benchmark::internal::Benchmark* benchmark) {
    benchmark->ArgNames({"warps", "global", "shared"})->Unit(benchmark::kMillisecond);
    for (const std::int64_t warps : {8, 64}) {
        benchmark->Args({warps, 20, 2});
        benchmark->Args({warps, 400, 30});
    }
}

BENCHMARK(general)->Apply(sizes);
BENCHMARK(module)->Apply(sizes);
BENCHMARK_CAPTURE(compile_alone, general, without_modules)->Apply(sizes);
BENCHMARK_CAPTURE(compile_alone, module, PlanOptions{})->Apply(sizes);
BENCHMARK_CAPTURE(cold, module, PlanOptions{})->Apply(sizes);
BENCHMARK(compile_million)->Unit(benchmark::kMillisecond);
BENCHMARK(plain_baseline)->Apply(sizes);
BENCHMARK(thousand_runs)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
