// Exploration of state spaces, states per second. The nets are of the warps family and, if the reference data
// is next to the checkout, of the Model Checking Contest with their published sizes. Before anything is
// timed, a small net is compared with the plain exploration of the tests, and each large net with its size.
//
// explore_bench --benchmark_filter=/1/         one thread

#include "analysis/states/diagrams/marking_diagram.hpp"
#include "analysis/states/explore/explore.hpp"
#include "analysis/states/symmetry/net_symmetry.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/warps/warps.hpp"
#include "pnml/read_pnml.hpp"
#include "tests/support/reference_exploration.hpp"
#include "tests/support/shared_data.hpp"

#include <cstdlib>
#include <iostream>
#include <set>
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

Net warps(std::uint32_t count, netgen::WarpCounts each) {
    netgen::WarpsSpec spec;
    spec.warps.assign(count, each);
    return netgen::warps_net(spec);
}

std::vector<Sample> samples() {
    std::vector<Sample> list = {{"warps_2_of_20_5_5", warps(2, {20, 5, 5}), 0, 0},
                                {"warps_3_of_3_2_2", warps(3, {3, 2, 2}), 0, 0},
                                {"warps_4_of_2_1_0", warps(4, {2, 1, 0}), 912'968, 3'183'804}};
    const auto add = [&](const char* name, std::uint64_t states, std::uint64_t edges) {
        const auto file = testing::shared_data("pnml/mcc_" + std::string(name) + ".pnml");
        if (file) list.push_back({name, pnml::read_pnml_file(*file), states, edges});
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
        states::ExploreOptions options;
        options.semantics = semantics;
        const states::Exploration explored = states::explore(compile(net), options);
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

/// With a symmetry, one of several equivalent markings is kept, and all are counted.
void explore_sample(benchmark::State& state, const Sample& sample, const states::NetSymmetry* symmetry) {
    const CompiledNet net = compile(sample.net);
    const auto threads = static_cast<int>(state.range(0));
    const tbb::global_control allow(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(threads));
    tbb::task_arena arena(threads);
    states::ExploreOptions options;
    if (sample.states == 0) options.max_states = 5'000'000;
    options.symmetry = symmetry;
    std::uint64_t states = 0;
    double bytes = 0;
    for (auto iteration : state) {
        const states::Exploration explored = arena.execute([&] { return states::explore(net, options); });
        if (sample.states != 0 && (explored.markings != sample.states || explored.edges != sample.edges))
            fail(sample.name + " has another size");
        states += explored.markings;
        const double words = static_cast<double>(explored.space.layout().words() * sizeof(states::Word));
        bytes =
            static_cast<double>(explored.space.bytes()) / static_cast<double>(explored.space.size()) - words;
    }
    state.counters["states"] = benchmark::Counter(static_cast<double>(states), benchmark::Counter::kIsRate);
    state.counters["bytes_beyond_packed"] = bytes;
}

/// A net with too many markings to explore one by one, with their published number.
struct LargeSample {
    std::string name;
    Net net;
    std::uint64_t states;
};

/// The net with `tokens` instead of `before` initial tokens, except in the places `but`.
Net with_tokens(const Net& net, Tokens before, Tokens tokens, const std::set<std::string>& but = {}) {
    NetBuilder builder;
    for (const Place& place : net.places())
        builder.add_place(place.id,
                          place.initial == before && !but.contains(place.id) ? tokens : place.initial);
    for (const Transition& transition : net.transitions()) builder.add_transition(transition.id);
    for (const Arc& arc : net.arcs()) {
        builder.add_arc(arc.kind, arc.place, arc.transition, arc.weight);
    }
    return builder.build();
}

/// GPUForwardProgress of the Model Checking Contest, variant a, for any number of work-items.
Net gpu_forward_progress(std::size_t items) {
    NetBuilder builder;
    const auto place = [&](const std::string& id, Tokens tokens = 0) {
        return builder.add_place(id, tokens);
    };
    const auto move = [&](const std::string& id, const std::vector<PlaceId>& from,
                          const std::vector<PlaceId>& to) {
        const TransitionId transition = builder.add_transition(id);
        for (const PlaceId p : from) builder.add_input(p, transition);
        for (const PlaceId p : to) builder.add_output(transition, p);
    };
    const PlaceId start = place("start", 1), ended = place("ended"), busy = place("busy"),
                  free = place("free"), over = place("over"), late = place("late"), run = place("run"),
                  idle = place("idle");
    std::vector<PlaceId> all_begin = {free, idle}, all_end = {ended, over};
    for (std::size_t i = 0; i < items; ++i) {
        const std::string n = std::to_string(i);
        const PlaceId a = place("a" + n), b = place("b" + n), c = place("c" + n), d = place("d" + n);
        all_end.push_back(a);
        all_begin.push_back(d);
        move("work" + n, {c}, {b});
        move("fail" + n, {c}, {b});
        move("again" + n, {b}, {d});
        move("end" + n, {b, free, idle}, {a, free, late});
        move("begin" + n, {d, free, idle}, {c, busy, run});
    }
    move("start_all", {start}, all_begin);
    move("end_all", all_end, {});
    move("close", {free, late}, {ended, over});
    move("run1", {run}, {idle});
    move("run2", {run}, {idle});
    move("late_idle", {late}, {idle});
    move("spin1", {busy}, {busy});
    move("spin2", {busy}, {busy});
    move("release", {busy}, {free});
    return builder.build();
}

std::vector<LargeSample> large_samples() {
    std::vector<LargeSample> list = {{"warps_8_of_2_1_0", warps(8, {2, 1, 0}), 132'399'361'024},
                                     {"GPUForwardProgress-PT-16a", gpu_forward_progress(16), 25'683'710'333}};
    if (const auto file = testing::shared_data("pnml/mcc_Kanban-PT-00005.pnml"))
        list.push_back({"Kanban-PT-00010", with_tokens(pnml::read_pnml_file(*file), 5, 10), 1'005'927'208});
    if (const auto file = testing::shared_data("pnml/mcc_FMS-PT-00002.pnml"))
        list.push_back(
            {"FMS-PT-00010", with_tokens(pnml::read_pnml_file(*file), 2, 10, {"M3"}), 2'501'413'200});
    return list;
}

void count_sample(benchmark::State& state, const LargeSample& sample) {
    const CompiledNet net = compile(sample.net);
    std::size_t nodes = 0, made = 0;
    for (auto iteration : state) {
        const states::DiagramResult result = states::diagram_of(net, {});
        if (!result.diagram || result.diagram->count(result.diagram->reachable()) != sample.states)
            fail(sample.name + " has another size");
        nodes = result.diagram->reachable_nodes();
        made = result.diagram->made_nodes();
    }
    state.counters["nodes"] = static_cast<double>(nodes);
    state.counters["nodes_made"] = static_cast<double>(made);
}

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    check_small();
    const std::vector<Sample> all = samples();
    std::vector<states::NetSymmetry> symmetries;
    for (const Sample& sample : all) symmetries.push_back(states::find_symmetry(sample.net));
    const auto add = [](const std::string& name, const Sample& sample, const states::NetSymmetry* symmetry) {
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
    const std::vector<LargeSample> large = large_samples();
    for (const LargeSample& sample : large) {
        benchmark::RegisterBenchmark((sample.name + "_by_diagram").c_str(), [&sample](
                                                                                benchmark::State& state) {
            count_sample(state, sample);
        })->Unit(benchmark::kMillisecond);
    }
    benchmark::RunSpecifiedBenchmarks();
}
