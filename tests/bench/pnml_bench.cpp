// Speed of reading and writing PNML, in bytes of the document per second (wall): all cores read a large
// document, and the column CPU is their sum. The net has a million transitions in small cycles, as many
// places, names and positions: a document of 600 MB. Before anything is timed, the net must survive the round
// trip.

#include "engine/net/net_builder.hpp"
#include "pnml/read_pnml.hpp"
#include "pnml/write_pnml.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

#include <benchmark/benchmark.h>

using namespace warpnet;

namespace {

/// Chains of eight places and transitions. Each transition has an inhibitor arc from a place of the next
/// chain, and every fourth transition also an input arc.
Net large_net(std::size_t transitions) {
    constexpr std::size_t length = 8;
    NetBuilder builder("large", "a large net");
    const auto node_id = [](const char* kind, std::size_t i) {
        return std::string(kind) + "_" + std::to_string(i / length) + "_" + std::to_string(i % length);
    };
    for (std::size_t i = 0; i < transitions; ++i) {
        const PlaceId place =
            builder.add_place(node_id("wait", i), i % length == 0 ? 3 : 0, "place " + std::to_string(i));
        builder.set_position(place,
                             {static_cast<double>(i / length) * 80.5, static_cast<double>(i % length) * 120});
    }
    for (std::size_t i = 0; i < transitions; ++i) {
        const TransitionId transition =
            builder.add_transition(node_id("issue", i), "issue " + std::to_string(i));
        const auto place = [&](std::size_t number) { return PlaceId(number % transitions); };
        builder.add_input(place(i), transition);
        builder.add_output(transition, place(i % length == length - 1 ? i + 1 - length : i + 1));
        builder.add_inhibitor(place(i + length), transition, 4);
        if (i % 4 == 0) builder.add_input(place(i + length + 1), transition, 2);
    }
    return builder.build();
}

struct Sample {
    Net net;
    std::string text;
};

const Sample& sample(std::size_t transitions, pnml::PnmlFlavour flavour) {
    static Sample made;
    static std::size_t made_for = 0;
    static pnml::PnmlFlavour made_as = flavour;
    if (made_for != transitions || made_as != flavour) {
        made.net = large_net(transitions);
        made.text = pnml::write_pnml(made.net, flavour);
        made_for = transitions;
        made_as = flavour;
        if (!(pnml::read_pnml(made.text, "sample") == made.net)) {
            std::fputs("the round trip changes the net\n", stderr);
            std::abort();
        }
    }
    return made;
}

void read_compat(benchmark::State& state) {
    const Sample& given = sample(static_cast<std::size_t>(state.range(0)), pnml::PnmlFlavour::compat);
    for (auto _ : state) benchmark::DoNotOptimize(pnml::read_pnml(given.text, "sample"));
    state.SetBytesProcessed(static_cast<std::int64_t>(given.text.size()) * state.iterations());
    state.counters["MB"] = static_cast<double>(given.text.size()) / 1e6;
}

void write_compat(benchmark::State& state) {
    const Sample& given = sample(static_cast<std::size_t>(state.range(0)), pnml::PnmlFlavour::compat);
    for (auto _ : state) benchmark::DoNotOptimize(pnml::write_pnml(given.net, pnml::PnmlFlavour::compat));
    state.SetBytesProcessed(static_cast<std::int64_t>(given.text.size()) * state.iterations());
    state.counters["MB"] = static_cast<double>(given.text.size()) / 1e6;
}

void sizes(benchmark::internal::Benchmark* benchmark) {
    benchmark->Arg(1'000)->Arg(250'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
    benchmark->MeasureProcessCPUTime()->UseRealTime();
}

BENCHMARK(read_compat)->Apply(sizes);
BENCHMARK(write_compat)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
