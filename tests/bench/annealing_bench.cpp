// The annealing over pseudo-precedence strings against a plain implementation of the paper's algorithm, on
// the paper's kernel: W = 16 warps, I = 25 instructions. Before anything is timed, both must give equal
// results.
//
// annealing_bench --benchmark_filter=candidates        candidates per second on one core
// annealing_bench --benchmark_filter=time_to_optimum   time until 160 cycles (no schedulers), median of 10
// seeds annealing_bench --benchmark_filter=threads           8 chains, one core and two

#include "analysis/worst/kernel/annealing.hpp"
#include "netgen/kernel/kernel.hpp"
#include "tests/support/kernel_vectors.hpp"
#include "tests/support/plain_serial_schedule.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <optional>
#include <vector>

#include <benchmark/benchmark.h>
#include <tbb/global_control.h>

using namespace warpnet;
using warpnet::testing::plain_paper_annealing;
using warpnet::testing::PlainAnnealing;
using warpnet::testing::voronoi;

namespace {

constexpr std::uint64_t to_the_end = ~std::uint64_t{0};

netgen::KernelInstance kernel(const benchmark::State& state) {
    return netgen::normalise(
        voronoi(16, state.range(0) == 0 ? std::nullopt : std::optional(int(state.range(0)))));
}

worst::AnnealingOptions paper(std::uint64_t iterations, std::uint64_t seed) {
    return {
        .method = worst::AnnealingMethod::paper, .iterations = iterations, .temperature = 0.3, .seed = seed};
}

worst::Chain run_chain(const netgen::KernelInstance& instance, const worst::AnnealingOptions& options,
                       worst::SearchStart start) {
    worst::Chain chain = worst::begin_chain_of<worst::KernelStrings>(instance, options, 0, start);
    worst::advance_chains_of<worst::KernelStrings>(instance, options, {},
                                                   std::array{worst::ChainStretch{&chain, to_the_end}});
    return chain;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void check_equal_results() {
    for (const std::optional<int> schedulers : {std::optional<int>(), std::optional<int>(4)})
        for (const worst::SearchStart start : {worst::SearchStart::round_robin, worst::SearchStart::random}) {
            const netgen::KernelInstance instance = netgen::normalise(voronoi(16, schedulers));
            const worst::AnnealingOptions options = paper(20'000, 3);
            const worst::Chain chain = run_chain(instance, options, start);
            const PlainAnnealing plain = plain_paper_annealing(
                instance, options, worst::start_string(instance, start, options.seed, hash_bits(0, 0)), 0);
            if (chain.best_value != plain.best || chain.evaluations != plain.evaluations) {
                std::cerr << "the two implementations differ\n";
                std::exit(1);
            }
        }
}

constexpr std::uint64_t measured_iterations = 100'000;

void candidates_plain(benchmark::State& state) {
    const netgen::KernelInstance instance = kernel(state);
    std::uint64_t evaluations = 0;
    for (auto _ : state) {
        const worst::PrecedenceString start =
            worst::start_string(instance, worst::SearchStart::random, 1, hash_bits(0, 0));
        evaluations += plain_paper_annealing(instance, paper(measured_iterations, 1), start, 0).evaluations;
    }
    state.counters["candidates"] =
        benchmark::Counter(static_cast<double>(evaluations), benchmark::Counter::kIsRate);
}

/// Four chains in one thread, as in a search with eight chains on two cores.
void candidates(benchmark::State& state, worst::AnnealingMethod method) {
    const netgen::KernelInstance instance = kernel(state);
    worst::AnnealingOptions options = paper(measured_iterations, 1);
    options.method = method;
    std::uint64_t evaluations = 0;
    for (auto _ : state) {
        std::vector<worst::Chain> chains;
        for (std::uint32_t c = 0; c < 4; ++c)
            chains.push_back(worst::begin_chain_of<worst::KernelStrings>(instance, options, c,
                                                                         worst::SearchStart::random));
        std::vector<worst::ChainStretch> stretches;
        for (worst::Chain& chain : chains) stretches.push_back({&chain, to_the_end});
        worst::advance_chains_of<worst::KernelStrings>(instance, options, {}, stretches);
        for (const worst::Chain& chain : chains) evaluations += chain.evaluations;
    }
    state.counters["candidates"] =
        benchmark::Counter(static_cast<double>(evaluations), benchmark::Counter::kIsRate);
}
void candidates_paper(benchmark::State& state) { candidates(state, worst::AnnealingMethod::paper); }
void candidates_portfolio(benchmark::State& state) { candidates(state, worst::AnnealingMethod::portfolio); }

BENCHMARK(candidates_plain)->Arg(0)->Arg(4)->Unit(benchmark::kMillisecond);
BENCHMARK(candidates_paper)->Arg(0)->Arg(4)->Unit(benchmark::kMillisecond);
BENCHMARK(candidates_portfolio)->Arg(0)->Arg(4)->Unit(benchmark::kMillisecond);

constexpr int optimum = 160;
constexpr std::uint64_t seeds = 10;

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

/// The paper's method: chains of 2 million iterations from the four starts in turn, until one chain reaches
/// the optimum. Most seeds take minutes. A seed that is given up counts with its time so far, so the median
/// is a lower bound if half of the seeds are given up.
void time_to_optimum_plain(benchmark::State& state) {
    constexpr double give_up = 40;  // seconds
    const netgen::KernelInstance instance = kernel(state);
    constexpr std::array starts{worst::SearchStart::round_robin, worst::SearchStart::fixed_priority,
                                worst::SearchStart::most_pending, worst::SearchStart::random};
    std::vector<double> seconds;
    int given_up = 0;
    for (auto _ : state) {
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            const double begin = cpu_seconds();
            const worst::AnnealingOptions options = paper(2'000'000, seed);
            for (std::uint32_t chain = 0;; ++chain) {
                const worst::PrecedenceString start =
                    worst::start_string(instance, starts[chain % 4], seed, hash_bits(chain, 0));
                if (plain_paper_annealing(instance, options, start, chain, optimum).best >= optimum) break;
                if (cpu_seconds() - begin < give_up) continue;
                ++given_up;
                break;
            }
            seconds.push_back(cpu_seconds() - begin);
        }
    }
    state.counters["median_cpu_seconds"] = median(seconds);
    state.counters["seeds_given_up"] = given_up;
}

void time_to_optimum_portfolio(benchmark::State& state) {
    const netgen::KernelInstance instance = kernel(state);
    std::vector<double> seconds;
    for (auto _ : state) {
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            const double begin = cpu_seconds();
            worst::AnnealingSearchOptions options{.annealing = {.seed = seed}, .target = optimum};
            while (worst::annealing_search(instance, options).found < optimum)
                options.annealing.seed += seeds;
            seconds.push_back(cpu_seconds() - begin);
        }
    }
    state.counters["median_cpu_seconds"] = median(seconds);
}

BENCHMARK(time_to_optimum_plain)->Arg(0)->Unit(benchmark::kSecond)->Iterations(1);
BENCHMARK(time_to_optimum_portfolio)->Arg(0)->Unit(benchmark::kSecond)->Iterations(1);

/// 8 chains on state.range(1) cores; compare the wall clock.
void threads(benchmark::State& state) {
    const netgen::KernelInstance instance = kernel(state);
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(state.range(1)));
    for (auto _ : state)
        benchmark::DoNotOptimize(
            worst::annealing_search(instance, {.annealing = {.iterations = 400'000}}).found);
}
BENCHMARK(threads)->Args({4, 1})->Args({4, 2})->Unit(benchmark::kSecond)->UseRealTime();

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    check_equal_results();
    benchmark::RunSpecifiedBenchmarks();
}
