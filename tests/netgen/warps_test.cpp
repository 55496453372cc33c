#include "netgen/warps.hpp"

#include "engine/error.hpp"
#include "engine/random.hpp"
#include "engine/run_many.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <rapidcheck/catch.h>

using namespace warpnet;

namespace {

Tokens tokens(const Net& net, const RunResult& result, std::string_view place) {
    return result.marking[index(NodeIndex(net).place(place).value())];
}

/// A small kernel: few warps and instructions, short latencies.
WarpsSpec small_spec(CounterRandom random) {
    WarpsSpec spec;
    spec.schedulers = 1 + random.below(4);
    spec.shared_latency = 1 + random.below(6);
    spec.global_latency = 1 + random.below(30);
    for (std::uint32_t warps = 1 + random.below(6); warps > 0; --warps) {
        spec.warps.push_back({random.below(6), random.below(6), random.below(6)});
    }
    return spec;
}

}  // namespace

TEST_CASE("the repaired net has the size that MODELS states") {
    for (const std::size_t warps : {1u, 4u, 64u}) {
        WarpsSpec spec;
        spec.warps.assign(warps, {1, 1, 1});
        const Net net = warps_net(spec);
        CHECK(net.places().size() == 2 + 18 * warps);
        CHECK(net.transitions().size() == 1 + 15 * warps);
        spec.published = true;
        CHECK(warps_net(spec).places().size() == 1 + 18 * warps);
        CHECK(warps_net(spec).transitions().size() == 1 + 15 * warps);
    }
}

TEST_CASE("one warp takes exactly the steps of the closed form") {
    // 4 x_a + (5 + l_s) x_s + (5 + l_g) x_g + 1, for instance 4*3 + 7*2 + 25*1 + 1 = 52.
    CHECK(lone_warp_steps({3, 2, 1}, 2, 20) == 52);
    rc::prop("any counts and latencies, any draws", [](std::uint64_t seed) {
        WarpsSpec spec = small_spec(CounterRandom(seed, 0));
        spec.warps.resize(1);
        RunOptions options;
        options.seed = seed;
        const RunResult result = run(compile(warps_net(spec)), options);
        RC_ASSERT(result.reason == StopReason::dead);
        RC_ASSERT(static_cast<Tokens>(result.steps) ==
                  lone_warp_steps(spec.warps[0], spec.shared_latency, spec.global_latency));
    });
}

TEST_CASE("steps stay within their bounds, firings do not depend on the schedule, nothing is left") {
    rc::prop("repaired nets", [](std::uint64_t seed) {
        const WarpsSpec spec = small_spec(CounterRandom(seed, 0));
        const Net net = warps_net(spec);
        RunOptions options;
        options.seed = seed;
        options.count_firings = true;
        const RunResult result = run(compile(net), options);
        const StepBounds bounds = warps_step_bounds(spec);
        RC_ASSERT(result.reason == StopReason::dead);
        RC_ASSERT(static_cast<Tokens>(result.steps) >= bounds.lower);
        RC_ASSERT(static_cast<Tokens>(result.steps) <= bounds.upper);
        Tokens firings = 0, longest = 0;
        for (const WarpCounts& counts : spec.warps) {
            const Tokens alone = lone_warp_steps(counts, spec.shared_latency, spec.global_latency);
            firings += alone;
            longest = std::max(longest, alone);
        }
        const std::uint64_t idle = result.counts[index(NodeIndex(net).transition("idle").value())];
        RC_ASSERT(static_cast<Tokens>(result.firings - idle) == firings);
        if (static_cast<Tokens>(spec.warps.size()) <= spec.schedulers)
            RC_ASSERT(static_cast<Tokens>(result.steps) == longest);
        for (std::size_t p = 0; p < net.places().size(); ++p) {
            const std::string& id = net.places()[p].id;
            const bool keeps_tokens = id == "sm" || id.ends_with("_timer");
            RC_ASSERT(result.marking[p] == (keeps_tokens ? net.places()[p].initial : 0));
        }
    });
}

TEST_CASE("idle fires in 39 of the 52 steps of a single busy warp with two schedulers") {
    WarpsSpec spec;
    spec.warps = {{3, 2, 1}};
    const Net net = warps_net(spec);
    RunOptions options;
    options.count_firings = true;
    const RunResult result = run(compile(net), options);
    CHECK(result.steps == 52);
    CHECK(result.counts[index(NodeIndex(net).transition("idle").value())] == 39);
}

TEST_CASE("the published net never dies and may lose its last instruction") {
    WarpsSpec spec;
    spec.published = true;
    spec.warps = {{1, 0, 0}};
    const Net net = warps_net(spec);
    ManyOptions options;
    options.runs = 200;
    options.run.max_steps = 1000;
    options.markings = true;
    int lost = 0;
    for (const RunResult& result : run_many(compile(net), options)) {
        CHECK(result.reason == StopReason::step_limit);
        CHECK(result.endless);
        CHECK(result.steps == 1000);
        CHECK(tokens(net, result, "w1_active") == 0);
        lost += tokens(net, result, "w1_issueable") == 1 ? 1 : 0;
    }
    CHECK(lost > 0);
    CHECK(lost < 200);
}

TEST_CASE("the latency depends on a step being a set") {
    // Multiset steps double the waiting tokens: 1, 2, 4, 8, 16, then the last 5 of 20 ticks. Set: 20 steps.
    WarpsSpec spec;
    spec.warps = {{0, 0, 1}};
    const CompiledNet net = compile(warps_net(spec));
    RunOptions options;
    CHECK(run(net, options).steps == 26);
    options.semantics = Semantics::multiset;
    CHECK(run(net, options).steps == 26 - 20 + 5);
}

TEST_CASE("parameters out of range are refused") {
    WarpsSpec spec;
    CHECK_THROWS_AS(warps_net(spec), InputError);
    spec.warps = {{-1, 0, 0}};
    CHECK_THROWS_AS(warps_net(spec), InputError);
    spec.warps = {{1, 1, 1}};
    spec.schedulers = 0;
    CHECK_THROWS_AS(warps_net(spec), InputError);
    spec.schedulers = 1;
    spec.global_latency = 0;
    CHECK_THROWS_AS(warps_net(spec), InputError);
    CHECK_THROWS_AS(lone_warp_steps({max_tokens / 2, 0, 0}, 2, 20), InputError);
}
