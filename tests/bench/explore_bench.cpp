// Exploration of state spaces, states a second. Nets of the warps family and, where the reference data is
// present beside the checkout, nets of the Model Checking Contest with their published sizes. Before anything
// is timed a small net is compared with the plain exploration of the tests, and each large one with its size.
//
// explore_bench --benchmark_filter=/1/         one thread

#include "analysis/explore/explore.hpp"
#include "analysis/symmetry/net_symmetry.hpp"
#include "netgen/warps/warps.hpp"
#include "pnml/read_pnml.hpp"
#include "tests/support/reference_exploration.hpp"
#include "tests/support/shared_data.hpp"

#include <cstdlib>
#include <iostream>
#include <string>

#include <benchmark/benchmark.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

using namespace warpnet;

namespace {

struct Sample {
    std::string name;
    Net net;
    std::uint64_t states;  ///< 0: explored up to 5 million states
    std::uint64_t edges;
};

Net warps(std::uint32_t count, WarpCounts each) {
    WarpsSpec spec;
    spec.warps.assign(count, each);
    return warps_net(spec);
}

std::vector<Sample> samples() {
    std::vector<Sample> list = {{"warps_2_of_20_5_5", warps(2, {20, 5, 5}), 0, 0},
                                {"warps_3_of_3_2_2", warps(3, {3, 2, 2}), 0, 0},
                                {"warps_4_of_2_1_0", warps(4, {2, 1, 0}), 912'968, 3'183'804}};
    const auto add = [&](const char* name, std::uint64_t states, std::uint64_t edges) {
        const auto file = testing::shared_data("pnml/mcc_" + std::string(name) + ".pnml");
        if (file) list.push_back({name, read_pnml_file(*file), states, edges});
    };
    add("Kanban-PT-00005", 2'546'432, 24'460'016);
    add("DiscoveryGPU-PT-06a", 1'771'562, 13'528'285);
    add("GPUForwardProgress-PT-08a", 380'093, 3'289'766);
    return list;
}

[[noreturn]] void fail(const std::string& what) {
    std::cerr << what << '\n';
    std::exit(1);
}

void check_small() {
    const Net net = warps(2, {1, 1, 1});
    for (const Semantics semantics : {Semantics::interleaving, Semantics::maximal}) {
        ExploreOptions options;
        options.semantics = semantics;
        const Exploration explored = explore(compile(net), options);
        const testing::ReferenceSteps steps(net, semantics);
        std::set<Marking> seen = {net.initial_marking()};
        std::vector<Marking> open(seen.begin(), seen.end());
        std::uint64_t edges = 0;
        while (!open.empty()) {
            const Marking marking = open.back();
            open.pop_back();
            for (const testing::ReferenceEdge& edge : steps(marking)) {
                ++edges;
                if (seen.insert(edge.after).second) open.push_back(edge.after);
            }
        }
        if (explored.space.size() != seen.size() || explored.edges != edges)
            fail("the exploration differs from the plain one");
    }
}

/// With a symmetry: of markings that it makes equivalent one is kept, and all are counted.
void explore_sample(benchmark::State& state, const Sample& sample, const NetSymmetry* symmetry) {
    const CompiledNet net = compile(sample.net);
    const auto threads = static_cast<int>(state.range(0));
    const tbb::global_control allow(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(threads));
    tbb::task_arena arena(threads);
    ExploreOptions options;
    if (sample.states == 0) options.max_states = 5'000'000;
    options.symmetry = symmetry;
    std::uint64_t states = 0;
    double bytes = 0;
    for (auto iteration : state) {
        const Exploration explored = arena.execute([&] { return explore(net, options); });
        if (sample.states != 0 && (explored.markings != sample.states || explored.edges != sample.edges))
            fail(sample.name + " has another size");
        states += explored.markings;
        const double words = static_cast<double>(explored.space.layout().words() * sizeof(Word));
        bytes =
            static_cast<double>(explored.space.bytes()) / static_cast<double>(explored.space.size()) - words;
    }
    state.counters["states"] = benchmark::Counter(static_cast<double>(states), benchmark::Counter::kIsRate);
    state.counters["bytes_beyond_packed"] = bytes;
}

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    check_small();
    const std::vector<Sample> all = samples();
    std::vector<NetSymmetry> symmetries;
    for (const Sample& sample : all) symmetries.push_back(find_symmetry(sample.net));
    const auto add = [](const std::string& name, const Sample& sample, const NetSymmetry* symmetry) {
        benchmark::RegisterBenchmark(
            name.c_str(),
            [&sample, symmetry](benchmark::State& state) { explore_sample(state, sample, symmetry); })
            ->ArgName("threads")
            ->Arg(1)
            ->Arg(2)
            ->UseRealTime()
            ->MeasureProcessCPUTime()
            ->Unit(benchmark::kMillisecond);
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
        add(all[i].name, all[i], nullptr);
        if (!symmetries[i].trivial() && all[i].states != 0)
            add(all[i].name + "_by_symmetry", all[i], &symmetries[i]);
    }
    benchmark::RunSpecifiedBenchmarks();
}
