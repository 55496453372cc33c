// The search for the worst run of a net whose parts meet in hubs, against annealing over strings of
// transitions, each candidate of which is a run of the net from its beginning: 8 warps of 414 arithmetic and
// 129 global instructions, 4 schedulers. Before anything is timed, the values of the candidates of both
// are checked by following their schedules step by step.
//
// worst_bench --benchmark_filter=candidates     candidates per second on two cores; of plans within one
// cooling,
//                                               and with the search for a strategy before each cooling, whose
//                                               candidates are not counted
// worst_bench --benchmark_filter=found          the longest runs found of the nets of the table, in seconds

#include "analysis/worst/search/order_search.hpp"
#include "analysis/worst/search/service_search.hpp"
#include "analysis/worst/search/service_starts.hpp"
#include "netgen/warps/warps.hpp"

#include <array>
#include <cstdlib>
#include <iostream>

#include <benchmark/benchmark.h>
#include <tbb/task_arena.h>

using namespace warpnet;

namespace {

constexpr std::uint64_t max_steps = 10'000'000;
constexpr int cores = 2;

Net warps(std::size_t count, Tokens schedulers, netgen::WarpCounts counts) {
    netgen::WarpsSpec spec;
    spec.warps.assign(count, counts);
    spec.schedulers = schedulers;
    return netgen::warps_net(spec);
}

Net multiplication() { return warps(8, 4, {414, 0, 129}); }

template <class Problem>
worst::SearchOptionsOf<Problem> options_of(std::uint64_t iterations) {
    worst::SearchOptionsOf<Problem> options;
    options.annealing.iterations = iterations;
    options.annealing.temperature = Problem::temperature;
    options.chains = cores;
    return options;
}

template <class Instance, class Candidate>
void check(const Net& net, const CompiledNet& compiled, const Instance& instance, const Candidate& candidate,
           std::int64_t value) {
    const RunResult run = replay(compiled, net, worst::schedule_of(*instance, candidate), Semantics::maximal);
    if (run.reason == StopReason::dead && static_cast<std::int64_t>(run.steps) == value) return;
    std::cerr << "a candidate is not worth what the search says\n";
    std::exit(1);
}

template <class Problem>
void check_values(const Net& net, const CompiledNet& compiled, const typename Problem::Instance& instance,
                  std::uint64_t iterations) {
    worst::SearchStateOf<Problem> state = worst::begin_search(instance, options_of<Problem>(iterations));
    worst::continue_search(state);
    for (const auto& chain : state.chains) {
        check(net, compiled, instance, chain.current, chain.value);
        check(net, compiled, instance, chain.best, chain.best_value);
    }
}

template <class Problem>
void measure(benchmark::State& state, const typename Problem::Instance& instance, std::uint64_t iterations) {
    const worst::SearchStateOf<Problem> begun =
        worst::begin_search(instance, options_of<Problem>(iterations));
    std::uint64_t evaluations = 0;
    for (auto _ : state) {
        worst::SearchStateOf<Problem> search = begun;
        tbb::task_arena(cores).execute([&] { worst::continue_search(search); });
        for (const auto& chain : search.chains) evaluations += chain.evaluations;
    }
    state.counters["candidates"] =
        benchmark::Counter(static_cast<double>(evaluations), benchmark::Counter::kIsRate);
}

void candidates_transitions(benchmark::State& state) {
    const Net net = multiplication();
    const auto instance = std::make_shared<const worst::OrderInstance>(net, plan(compile(net)), max_steps);
    measure<worst::TransitionOrders>(state, instance, 1'000);
}
void candidates_plans(benchmark::State& state) {
    const Plan net = plan(compile(multiplication()));
    measure<worst::ServiceOrders>(state, worst::service_instance(net, max_steps, 1),
                                  static_cast<std::uint64_t>(state.range(0)));
}
BENCHMARK(candidates_transitions)->Unit(benchmark::kSecond)->UseRealTime();
BENCHMARK(candidates_plans)->Arg(16'384)->Arg(50'000)->Unit(benchmark::kSecond)->UseRealTime();

struct Row {
    std::size_t warps;
    Tokens schedulers;
    netgen::WarpCounts counts;
};
constexpr std::array rows{Row{4, 2, {20, 5, 2}},     Row{6, 2, {10, 2, 1}},    Row{8, 2, {20, 5, 2}},
                          Row{8, 2, {50, 10, 5}},    Row{16, 4, {20, 5, 2}},   Row{16, 2, {200, 50, 20}},
                          Row{32, 4, {200, 50, 20}}, Row{8, 2, {146, 136, 9}}, Row{8, 4, {414, 0, 129}}};

/// Arguments: state.range(0) is the row, state.range(1) the seconds.
void found(benchmark::State& state) {
    const Row& row = rows[static_cast<std::size_t>(state.range(0))];
    const Net net = warps(row.warps, row.schedulers, row.counts);
    const CompiledNet compiled = compile(net);
    const Plan planned = plan(compiled);
    for (auto _ : state) {
        worst::ServiceSearchOptions options = options_of<worst::ServiceOrders>(2'000'000);
        options.chains = 8;
        worst::ServiceSearchLimits limits;
        limits.work.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(state.range(1));
        const auto instance = worst::service_instance(planned, max_steps, 1);
        tbb::task_arena(cores).execute([&] {
            worst::ServiceSearchState search = worst::begin_search(instance, options);
            const worst::ServiceSearchResult result =
                worst::search_result(search, worst::continue_search(search, limits));
            check(net, compiled, instance, result.best, result.found);
            state.counters["steps"] = static_cast<double>(result.found);
            state.counters["after_seconds"] = result.log.empty() ? 0 : [&] {
                for (const auto& entry : result.log)
                    if (entry.value == result.found) return entry.seconds;
                return 0.0;
            }();
        });
    }
}
BENCHMARK(found)
    ->ArgsProduct({benchmark::CreateDenseRange(0, 8, 1), {30}})
    ->Unit(benchmark::kSecond)
    ->UseRealTime()
    ->Iterations(1);

void check_all_values() {
    const Net net = multiplication();
    const CompiledNet compiled = compile(net);
    const Plan planned = plan(compiled);
    check_values<worst::TransitionOrders>(
        net, compiled, std::make_shared<const worst::OrderInstance>(net, planned, max_steps), 50);
    check_values<worst::ServiceOrders>(net, compiled, worst::service_instance(planned, max_steps, 1), 5'000);
}

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    check_all_values();
    benchmark::RunSpecifiedBenchmarks();
}
