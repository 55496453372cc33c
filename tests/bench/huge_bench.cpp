// One run of one huge net on 1 and 2 threads, wall time: a whole GPU (132 SMs of 64 warps) whose SMs are
// separate parts, the same with a grid of blocks, and a connected synthetic net of a million transitions.
// Before anything is timed, runs on 1, 2, 4 and 8 threads must be equal, and in keyed mode equal to those of
// the general executor.

#include "engine/plan.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/allocated_bytes.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/sample_nets.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <benchmark/benchmark.h>

using namespace warpnet;
using warpnet::testing::allocated_bytes;
using warpnet::testing::on_threads;
using warpnet::testing::station_net;

namespace {

Net whole_gpu(Tokens blocks) {
    netgen::WarpsSpec spec;
    spec.warps.assign(64, {200, 50, 20});
    spec.sms = 132;
    spec.blocks = blocks;
    spec.schedulers = 4;
    return netgen::warps_net(spec);
}

Plan plan_whole(const Net& net) { return plan(compile(net), {}, {.parts = in_one_piece, .pivots = false}); }

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "not so: %s\n", what);
    std::exit(1);
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void check(const Net& net, const Plan& planned, ExecutorKind executor, RunOptions options) {
    require(planned.executor(options) == executor, "the executor expected");
    const RunResult expected = run(planned, options);
    for (const int threads : {1, 2, 4, 8})
        require(on_threads(threads, [&] { return run(planned, options); }) == expected,
                "any number of threads");
    options.keyed = true;
    options.max_steps = std::min<std::uint64_t>(options.max_steps, 2000);
    require(run(planned, options) == run(plan_whole(net), options), "the general executor's keyed run");
}

void one_run(benchmark::State& state, const Net& net, ExecutorKind executor, std::uint64_t max_steps) {
    const Plan planned = plan(compile(net));
    RunOptions options;
    options.max_steps = max_steps;
    check(net, planned, executor, options);
    const auto threads = static_cast<int>(state.range(0));
    RunResult result;
    for (auto iteration : state) {
        ++options.run;
        on_threads(threads, [&] { return result = run(planned, options); });
    }
    state.counters["transitions"] = static_cast<double>(net.transitions().size());
    state.counters["steps"] = static_cast<double>(result.steps);
    state.counters["firings/s"] = benchmark::Counter(static_cast<double>(result.firings),
                                                     benchmark::Counter::kIsIterationInvariantRate);
    const double begun = cpu_seconds();
    on_threads(1, [&] { return run(planned, options); });
    const double ours = cpu_seconds() - begun;
    const Plan whole = plan_whole(net);
    const double general_begun = cpu_seconds();
    require(run(whole, options).firings > 0, "the general executor runs it too");
    state.counters["x_general"] = (cpu_seconds() - general_begun) / ours;
}

constexpr std::uint64_t to_the_end = RunOptions{}.max_steps;

void gpu(benchmark::State& state) { one_run(state, whole_gpu(0), ExecutorKind::separate, to_the_end); }
void gpu_grid(benchmark::State& state) {
    one_run(state, whole_gpu(300), ExecutorKind::restarted, to_the_end);
}
void stations(benchmark::State& state) { one_run(state, station_net(125'000), ExecutorKind::divided, 200); }

/// The counter `bytes`: memory of the plan per transition, as the allocator counts it.
void compile_alone(benchmark::State& state, const Net& net) {
    for (auto iteration : state) {
        const std::size_t before = allocated_bytes();
        const Plan planned = plan(compile(net));
        state.counters["bytes"] =
            static_cast<double>(allocated_bytes() - before) / static_cast<double>(net.transitions().size());
    }
}

void threads(benchmark::internal::Benchmark* benchmark) {
    benchmark->ArgName("threads")
        ->Arg(1)
        ->Arg(2)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond)
        ->MeasureProcessCPUTime();
}

BENCHMARK(gpu)->Apply(threads);
BENCHMARK(gpu_grid)->Apply(threads);
BENCHMARK(stations)->Apply(threads);
BENCHMARK_CAPTURE(compile_alone, gpu, whole_gpu(0))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compile_alone, gpu_grid, whole_gpu(300))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compile_alone, stations, station_net(125'000))->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
