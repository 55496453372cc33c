// One run of nets with immediate transitions, on one thread: three SMs of 16 blocks of 8 warps (a short
// program, a long one, one that waits for memory), and a kernel of a million blocks. Before anything is
// timed, keyed runs must equal those of the general executor.

#include "engine/plan.hpp"
#include "netgen/blocks/blocks.hpp"
#include "netgen/sm/presets.hpp"
#include "netgen/sm/sm.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <benchmark/benchmark.h>

using namespace warpnet;

namespace {

struct Counts {
    double fp32, loads, stores;
};
constexpr Counts short_program = {40, 2, 0}, long_program = {400, 20, 0}, memory_program = {100, 100, 10};

/// The net of `generate sm --device GTX950 --blocks 96 --block-threads 256 --counts fp32=…,loads=…,stores=…`.
Net sm(const Counts& counts) {
    const netgen::SmDevice device = netgen::sm_device(netgen::preset_devices().at("GTX950"));
    netgen::KernelProfile kernel = netgen::streaming_profile();
    kernel.blocks = 96;
    kernel.threads = 256;
    kernel.fp32 = counts.fp32;
    kernel.loads.requests = counts.loads;
    kernel.stores.requests = counts.stores;
    const netgen::SmProgram program = netgen::sm_program(device, kernel);
    return netgen::sm_net(program, netgen::blocks_of_busiest_sm(device, kernel), program.trips);
}

Net million_blocks() {
    netgen::TaskSet tasks;
    tasks.operations = {{.name = "k1", .blocks = 1'000'000, .threads = 512, .time = 4, .stream = 1},
                        {.name = "k2", .blocks = 70, .threads = 256, .time = 6, .stream = 2},
                        {.name = "k3", .blocks = 20, .threads = 512, .time = 6, .release = 3, .stream = 3}};
    return netgen::blocks_net(tasks).net;
}

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "not so: %s\n", what);
    std::exit(1);
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// CPU seconds of a run of the general executor, median of five.
double general_seconds(const Plan& general, RunOptions options) {
    std::vector<double> seconds;
    for (options.run = 0; options.run < 5; ++options.run) {
        const double begun = cpu_seconds();
        require(run(general, options).reason == StopReason::dead, "the general executor runs it too");
        seconds.push_back(cpu_seconds() - begun);
    }
    std::nth_element(seconds.begin(), seconds.begin() + 2, seconds.end());
    return seconds[2];
}

void one_run(benchmark::State& state, const Net& net) {
    const Plan planned = plan(compile(net));
    const Plan general = plan(compile(net), {}, {.parts = in_one_piece, .pivots = false});
    RunOptions options;
    require(planned.executor(options) == ExecutorKind::pivots, "the executor expected");
    options.keyed = true;
    require(run(planned, options) == run(general, options), "the general executor's keyed run");
    options.keyed = false;
    RunResult result;
    double seconds = 0;
    for (auto iteration : state) {
        ++options.run;
        const double begun = cpu_seconds();
        result = run(planned, options);
        seconds += cpu_seconds() - begun;
    }
    state.counters["steps"] = static_cast<double>(result.steps);
    state.counters["x_general"] =
        general_seconds(general, options) / (seconds / static_cast<double>(state.iterations()));
}

BENCHMARK_CAPTURE(one_run, sm_short, sm(short_program))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_run, sm_long, sm(long_program))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_run, sm_memory, sm(memory_program))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_run, million_blocks, million_blocks())->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
