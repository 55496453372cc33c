#include "netgen/warps/warps.hpp"

#include "engine/base/random.hpp"
#include "engine/net/error.hpp"
#include "engine/plan.hpp"

#include <algorithm>
#include <span>

#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <rapidcheck/catch.h>

using namespace warpnet;

namespace {

Tokens tokens(const Net& net, const RunResult& result, std::string_view place) {
    return result.marking[index(NodeIndex(net).place(place).value())];
}

/// A small kernel: few warps and instructions, short latencies.
netgen::WarpsSpec small_spec(CounterRandom random) {
    netgen::WarpsSpec spec;
    spec.schedulers = 1 + random.below(4);
    spec.shared_latency = 1 + random.below(6);
    spec.global_latency = 1 + random.below(30);
    for (std::uint32_t warps = 1 + random.below(6); warps > 0; --warps) {
        spec.warps.push_back({random.below(6), random.below(6), random.below(6)});
    }
    return spec;
}

/// The same block on `sms` SMs with a grid of `blocks`.
netgen::WarpsSpec grid_of(netgen::WarpsSpec block, std::size_t sms, Tokens blocks) {
    block.sms = sms;
    block.blocks = blocks;
    return block;
}

/// Firings on the SMs of a net, selected by the ends of ids, such as issues.
std::uint64_t firings_of(const Net& net, const RunResult& result, std::string_view ending) {
    std::uint64_t sum = 0;
    for (std::size_t t = 0; t < net.transitions().size(); ++t)
        sum += net.transitions()[t].id.ends_with(ending) ? result.counts[t] : 0;
    return sum;
}

/// Records the marking after each firing of `dispatch`.
class Dispatches : public Observer {
  public:
    explicit Dispatches(TransitionId dispatch) : dispatch_(dispatch) {}
    void step(std::uint64_t, bool, std::span<const Firing> fired, std::span<const Tokens> marking) override {
        for (const Firing& firing : fired) {
            if (firing.transition == index(dispatch_)) markings.emplace_back(marking.begin(), marking.end());
        }
    }
    std::vector<Marking> markings;

  private:
    TransitionId dispatch_;
};

/// A run with counts, which must reach the dead marking within the bounds of its spec.
RunResult run_within_bounds(const netgen::WarpsSpec& spec, const Net& net, std::uint64_t seed) {
    RunOptions options;
    options.seed = seed;
    options.count_firings = true;
    RunResult result = run(compile(net), options);
    const netgen::StepBounds bounds = netgen::warps_step_bounds(spec);
    RC_ASSERT(result.reason == StopReason::dead);
    RC_ASSERT(static_cast<Tokens>(result.steps) >= bounds.lower);
    RC_ASSERT(static_cast<Tokens>(result.steps) <= bounds.upper);
    return result;
}

}  // namespace

TEST_CASE("the repaired net has 2 + 18 W places and 1 + 15 W transitions") {
    for (const std::size_t warps : {1u, 4u, 64u}) {
        netgen::WarpsSpec spec;
        spec.warps.assign(warps, {1, 1, 1});
        const Net net = netgen::warps_net(spec);
        CHECK(net.places().size() == 2 + 18 * warps);
        CHECK(net.transitions().size() == 1 + 15 * warps);
        spec.published = true;
        CHECK(netgen::warps_net(spec).places().size() == 1 + 18 * warps);
        CHECK(netgen::warps_net(spec).transitions().size() == 1 + 15 * warps);
    }
}

TEST_CASE("one warp takes exactly the steps of the closed form") {
    // 4 x_a + (5 + l_s) x_s + (5 + l_g) x_g + 1, for instance 4*3 + 7*2 + 25*1 + 1 = 52.
    CHECK(netgen::lone_warp_steps({3, 2, 1}, 2, 20) == 52);
    rc::prop("any counts and latencies, any draws", [](std::uint64_t seed) {
        netgen::WarpsSpec spec = small_spec(CounterRandom(seed, 0));
        spec.warps.resize(1);
        RunOptions options;
        options.seed = seed;
        const RunResult result = run(compile(netgen::warps_net(spec)), options);
        RC_ASSERT(result.reason == StopReason::dead);
        RC_ASSERT(static_cast<Tokens>(result.steps) ==
                  netgen::lone_warp_steps(spec.warps[0], spec.shared_latency, spec.global_latency));
    });
}

TEST_CASE("steps stay within their bounds, firings do not depend on the schedule, nothing is left") {
    rc::prop("repaired nets", [](std::uint64_t seed) {
        const netgen::WarpsSpec spec = small_spec(CounterRandom(seed, 0));
        const Net net = netgen::warps_net(spec);
        const RunResult result = run_within_bounds(spec, net, seed);
        Tokens firings = 0, longest = 0;
        for (const netgen::WarpCounts& counts : spec.warps) {
            const Tokens alone = netgen::lone_warp_steps(counts, spec.shared_latency, spec.global_latency);
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
    netgen::WarpsSpec spec;
    spec.warps = {{3, 2, 1}};
    const Net net = netgen::warps_net(spec);
    RunOptions options;
    options.count_firings = true;
    const RunResult result = run(compile(net), options);
    CHECK(result.steps == 52);
    CHECK(result.counts[index(NodeIndex(net).transition("idle").value())] == 39);
}

TEST_CASE("the published net has no dead marking and may lose its last instruction") {
    netgen::WarpsSpec spec;
    spec.published = true;
    spec.warps = {{1, 0, 0}};
    const Net net = netgen::warps_net(spec);
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
    // Multiset steps double the waiting tokens: 1, 2, 4, 8, 16, then the last 5 of 20 ticks. Set semantics
    // takes 20 steps.
    netgen::WarpsSpec spec;
    spec.warps = {{0, 0, 1}};
    const CompiledNet net = compile(netgen::warps_net(spec));
    RunOptions options;
    CHECK(run(net, options).steps == 26);
    options.semantics = Semantics::multiset;
    CHECK(run(net, options).steps == 26 - 20 + 5);
}

TEST_CASE("several SMs: each is the net of one SM, with a prefix") {
    netgen::WarpsSpec spec;
    spec.warps = {{3, 2, 1}, {1, 0, 2}};
    const Net one = netgen::warps_net(spec);
    spec.sms = 3;
    const Net net = netgen::warps_net(spec);
    CHECK(net.arcs().size() == 3 * one.arcs().size());
    REQUIRE(net.places().size() == 3 * one.places().size());
    REQUIRE(net.transitions().size() == 3 * one.transitions().size());
    for (std::size_t p = 0; p < one.places().size(); ++p) {
        CHECK(net.places()[p].id == "sm1_" + one.places()[p].id);
        CHECK(net.places()[p + 2 * one.places().size()].id == "sm3_" + one.places()[p].id);
        CHECK(net.places()[p + one.places().size()].initial == one.places()[p].initial);
    }
    CHECK(net.transitions().front().id == "sm1_idle");
}

TEST_CASE("a block for each SM or fewer: no SM waits for one, and none is there in vain") {
    netgen::WarpsSpec spec;
    spec.warps = {{3, 2, 1}};
    const auto same = [](const Net& a, const Net& b) {
        return std::ranges::equal(a.places(), b.places()) &&
               std::ranges::equal(a.transitions(), b.transitions()) && std::ranges::equal(a.arcs(), b.arcs());
    };
    CHECK(same(netgen::warps_net(grid_of(spec, 1, 1)), netgen::warps_net(spec)));
    CHECK(same(netgen::warps_net(grid_of(spec, 4, 4)), netgen::warps_net(grid_of(spec, 4, 0))));
    CHECK(same(netgen::warps_net(grid_of(spec, 5, 2)), netgen::warps_net(grid_of(spec, 2, 0))));
    CHECK(netgen::warps_net(grid_of(spec, 5, 1)).places().front().id == "sm1_sm");
}

TEST_CASE("SMs do not disturb each other") {
    rc::prop("equal SMs take the steps of one under a deterministic policy", [](std::uint64_t seed) {
        const netgen::WarpsSpec spec = small_spec(CounterRandom(seed, 0));
        const std::size_t sms = 2 + seed % 3;
        RunOptions options;
        for (const Policy policy : {Policy::first, Policy::last}) {
            options.policy = policy;
            const RunResult one = run(compile(netgen::warps_net(spec)), options);
            const RunResult all = run(compile(netgen::warps_net(grid_of(spec, sms, 0))), options);
            RC_ASSERT(all.reason == StopReason::dead);
            RC_ASSERT(all.steps == one.steps);
            RC_ASSERT(all.firings == sms * one.firings);
        }
    });
}

TEST_CASE("one warp a block: steps are waves times the closed form, and a step for each dispatch between") {
    rc::prop("any grid, any draws", [](std::uint64_t seed) {
        CounterRandom random(seed, 1);
        netgen::WarpsSpec spec = small_spec(CounterRandom(seed, 0));
        spec.warps.resize(1);
        spec.sms = 1 + random.below(4);
        spec.blocks = 1 + random.below(12);
        RunOptions options;
        options.seed = seed;
        const RunResult result = run(compile(netgen::warps_net(spec)), options);
        const auto sms = static_cast<Tokens>(spec.sms);
        const Tokens waves = (spec.blocks + sms - 1) / sms;
        const Tokens alone = netgen::lone_warp_steps(spec.warps[0], spec.shared_latency, spec.global_latency);
        RC_ASSERT(result.reason == StopReason::dead);
        RC_ASSERT(static_cast<Tokens>(result.steps) == waves * alone + waves - 1);
        RC_ASSERT(netgen::warps_step_bounds(spec).lower == static_cast<Tokens>(result.steps));
    });
}

TEST_CASE("every block of a grid executes every instruction, within the bounds, and nothing is left") {
    rc::prop("any grid, any draws", [](std::uint64_t seed) {
        CounterRandom random(seed, 1);
        netgen::WarpsSpec spec = small_spec(CounterRandom(seed, 0));
        spec.sms = 1 + random.below(3);
        spec.blocks = 1 + random.below(9);
        const Net net = netgen::warps_net(spec);
        const RunResult result = run_within_bounds(spec, net, seed);
        netgen::WarpCounts block;
        for (const netgen::WarpCounts& counts : spec.warps) {
            block.arith += counts.arith;
            block.shared += counts.shared;
            block.global += counts.global;
        }
        const auto blocks = static_cast<std::uint64_t>(spec.blocks);
        const auto total = [&](Tokens of_block) { return blocks * static_cast<std::uint64_t>(of_block); };
        RC_ASSERT(firings_of(net, result, "_issue") == total(block.arith + block.shared + block.global));
        RC_ASSERT(firings_of(net, result, "_arith_finish") == total(block.arith));
        RC_ASSERT(firings_of(net, result, "_shared_finish") == total(block.shared));
        RC_ASSERT(firings_of(net, result, "_global_finish") == total(block.global));
        RC_ASSERT(firings_of(net, result, "dispatch") == blocks - std::min<std::uint64_t>(blocks, spec.sms));
        for (std::size_t p = 0; p < net.places().size(); ++p) {
            const std::string& id = net.places()[p].id;
            const bool keeps_tokens = id.ends_with("sm") || id.ends_with("_timer");
            const Tokens left = id.ends_with("ended") ? static_cast<Tokens>(spec.warps.size())
                                : keeps_tokens        ? net.places()[p].initial
                                                      : 0;
            RC_ASSERT(result.marking[p] == left);
        }
    });
}

TEST_CASE("schedulers fixed to warps: each with its warps is the net of one SM") {
    netgen::WarpsSpec spec;
    spec.warps = {{3, 2, 1}, {1, 0, 2}, {2, 2, 0}, {4, 0, 0}, {1, 1, 1}};
    spec.schedulers = 3;
    spec.assignment = netgen::Assignment::fixed;
    spec.dispatch_units = 2;
    const Net net = netgen::warps_net(spec);
    CHECK(net.places().size() == 6 + 18 * 5);
    CHECK(net.transitions().size() == 3 + 15 * 5);
    const NodeIndex nodes(net);
    CHECK(net[nodes.place("sm_1").value()].initial == 2);
    CHECK(net[nodes.place("alive_2").value()].initial == 2);
    CHECK(net[nodes.place("alive_3").value()].initial == 1);
    for (const auto& [warp, scheduler] : {std::pair("w1", "sm_1"), {"w3", "sm_3"}, {"w5", "sm_2"}}) {
        const auto arcs = net.arcs_of(nodes.transition(std::string(warp) + "_issue").value());
        CHECK(std::ranges::count(arcs, nodes.place(scheduler).value(), &Arc::place) == 1);
    }
    // Each warp has its own scheduler.
    spec.schedulers = 8;
    spec.dispatch_units = 1;
    CHECK(netgen::warps_net(spec).places().size() == 10 + 18 * 5);
    CHECK(run(compile(netgen::warps_net(spec)), {}).steps == 55);  // of the second warp
    spec.published = true;
    CHECK_THROWS_AS(netgen::warps_net(spec), InputError);
    spec.published = false;
    spec.assignment = netgen::Assignment::shared;
    spec.dispatch_units = 2;
    CHECK_THROWS_AS(netgen::warps_net(spec), InputError);
}

TEST_CASE("schedulers fixed to warps: bounds hold, nothing is left, the parameters are recognised") {
    rc::prop("any block and grid", [](std::uint64_t seed) {
        CounterRandom random(seed, 2);
        netgen::WarpsSpec spec = small_spec(CounterRandom(seed, 0));
        spec.assignment = netgen::Assignment::fixed;
        spec.dispatch_units = 1 + random.below(2);
        spec.schedulers = std::min(spec.schedulers, static_cast<Tokens>(spec.warps.size()));
        spec.sms = 1 + random.below(2);
        spec.blocks = random.below(2) == 0 ? 0 : 1 + random.below(5);
        const Net net = netgen::warps_net(spec);
        const RunResult result = run_within_bounds(spec, net, seed);
        for (std::size_t p = 0; p < net.places().size(); ++p) {
            const std::string& id = net.places()[p].id;
            const bool keeps_tokens = id.find("sm_") != std::string::npos && !id.ends_with("ended") &&
                                      id.find("_w") == std::string::npos &&
                                      id.find("alive") == std::string::npos;
            if (keeps_tokens || id.ends_with("_timer"))
                RC_ASSERT(result.marking[p] == net.places()[p].initial);
            else if (!id.ends_with("ended"))
                RC_ASSERT(result.marking[p] == 0);
        }
        const auto known = netgen::recognise_warps(net);
        RC_ASSERT(known.has_value());
        RC_ASSERT(known->assignment == netgen::Assignment::fixed);
        RC_ASSERT(known->schedulers == spec.schedulers);
        RC_ASSERT(known->dispatch_units == spec.dispatch_units);
        RC_ASSERT(known->warps == spec.warps);
    });
}

TEST_CASE("warps in any assignment to schedulers: as many on each as if fixed, and recognised") {
    rc::prop("any block and grid", [](std::uint64_t seed) {
        CounterRandom random(seed, 3);
        netgen::WarpsSpec spec = small_spec(CounterRandom(seed, 0));
        spec.assignment = netgen::Assignment::any;
        spec.schedulers = std::min(spec.schedulers, static_cast<Tokens>(spec.warps.size()));
        spec.blocks = random.below(2) == 0 ? 0 : 1 + random.below(3);
        const Net net = netgen::warps_net(spec);
        const RunResult result = run_within_bounds(spec, net, seed);
        const std::uint64_t blocks = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(spec.blocks));
        const auto schedulers = static_cast<std::size_t>(spec.schedulers);
        for (std::size_t k = 0; k < schedulers; ++k)
            RC_ASSERT(firings_of(net, result, "_assign_" + std::to_string(k + 1)) ==
                      blocks * ((spec.warps.size() - k - 1) / schedulers + 1));
        const auto known = netgen::recognise_warps(net);
        RC_ASSERT(known.has_value());
        RC_ASSERT(known->assignment == netgen::Assignment::any);
        RC_ASSERT(known->schedulers == spec.schedulers);
        RC_ASSERT(known->warps == spec.warps);
    });
}

TEST_CASE("warps that are not active: the steps of a net without them, and recognised") {
    rc::prop("shared and fixed schedulers", [](std::uint64_t seed) {
        CounterRandom random(seed, 4);
        netgen::WarpsSpec spec = small_spec(CounterRandom(seed, 0));
        spec.warps.push_back({1, 1, 1});  // at least one warp is not active
        spec.schedulers = std::min(spec.schedulers, static_cast<Tokens>(spec.warps.size()));
        if (random.below(2) == 0) spec.assignment = netgen::Assignment::fixed;
        const netgen::WarpsSpec all = spec;
        spec.active = 1 + random.below(static_cast<std::uint32_t>(spec.warps.size()) - 1);
        netgen::WarpsSpec alone = spec;
        alone.active = {};
        alone.warps.resize(*spec.active);
        const Net net = netgen::warps_net(spec);
        RC_ASSERT(net.places().size() == netgen::warps_net(all).places().size());
        for (const Policy policy : {Policy::first, Policy::last}) {
            RunOptions options;
            options.policy = policy;
            const RunResult with = run(compile(net), options);
            const RunResult without = run(compile(netgen::warps_net(alone)), options);
            RC_ASSERT(with.reason == StopReason::dead);
            RC_ASSERT(with.steps == without.steps);
            RC_ASSERT(with.firings == without.firings);
        }
        run_within_bounds(spec, net, seed);
        RC_ASSERT(netgen::warps_step_bounds(spec).upper == netgen::warps_step_bounds(alone).upper);
        const auto known = netgen::recognise_warps(net);
        RC_ASSERT(known.has_value());
        RC_ASSERT(known->active == spec.active);
        RC_ASSERT(known->warps == spec.warps);
        RC_ASSERT(known->assignment == spec.assignment);
    });
}

TEST_CASE("as published, a warp that is not active executes its instructions and stops idle") {
    netgen::WarpsSpec spec;
    spec.warps = {{2, 0, 0}, {3, 0, 0}};
    spec.active = 1;
    const auto issues_and_idle = [&] {
        const Net net = netgen::warps_net(spec);
        RunOptions options;
        options.count_firings = true;
        options.max_steps = 1000;
        const RunResult result = run(compile(net), options);
        const NodeIndex nodes(net);
        return std::pair(result.counts[index(nodes.transition("w2_issue").value())],
                         result.counts[index(nodes.transition("idle").value())]);
    };
    CHECK(issues_and_idle().first == 0);
    spec.published = true;
    const auto [issues, idle] = issues_and_idle();
    CHECK(issues == 3);
    CHECK(idle < 20);  // in steps with both warps active; never after the end
    spec.active = {};
    CHECK(issues_and_idle().second > 900);
}

TEST_CASE("a dispatched block begins exactly as the first one did") {
    rc::prop("one SM", [](std::uint64_t seed) {
        const netgen::WarpsSpec spec = grid_of(small_spec(CounterRandom(seed, 0)), 1, 4);
        const Net net = netgen::warps_net(spec);
        const NodeIndex nodes(net);
        Dispatches dispatches(nodes.transition("dispatch").value());
        RunOptions options;
        options.seed = seed;
        run(compile(net), options, &dispatches);
        RC_ASSERT(dispatches.markings.size() == 3U);
        Marking expected = net.initial_marking();
        for (const Marking& marking : dispatches.markings) {
            --expected[index(nodes.place("blocks").value())];
            RC_ASSERT(marking == expected);
        }
    });
}

TEST_CASE("bounds of a grid whose steps do not fit") {
    netgen::WarpsSpec spec;
    spec.warps = {{1, 1, 1}};
    spec.blocks = max_tokens;
    CHECK_THROWS_AS(netgen::warps_step_bounds(spec), InputError);
}

TEST_CASE("parameters out of range are refused") {
    netgen::WarpsSpec spec;
    CHECK_THROWS_AS(netgen::warps_net(spec), InputError);
    spec.warps = {{1, 0, 0}, {1, 0, 0}};
    for (const std::size_t active : {std::size_t{0}, std::size_t{3}}) {
        spec.active = active;
        CHECK_THROWS_AS(netgen::warps_net(spec), InputError);
    }
    spec.active = 1;
    spec.sms = 2;
    CHECK_THROWS_AS(netgen::warps_net(spec), InputError);
    spec = {};
    spec.warps = {{-1, 0, 0}};
    CHECK_THROWS_AS(netgen::warps_net(spec), InputError);
    spec.warps = {{1, 1, 1}};
    spec.schedulers = 0;
    CHECK_THROWS_AS(netgen::warps_net(spec), InputError);
    spec.schedulers = 1;
    spec.global_latency = 0;
    CHECK_THROWS_AS(netgen::warps_net(spec), InputError);
    spec.global_latency = 1;
    CHECK_NOTHROW(netgen::warps_net(spec));
    CHECK_THROWS_AS(netgen::warps_net(grid_of(spec, 0, 0)), InputError);
    CHECK_THROWS_AS(netgen::warps_net(grid_of(spec, 1, -1)), InputError);
    spec.published = true;
    CHECK_NOTHROW(netgen::warps_net(grid_of(spec, 1, 1)));
    CHECK_THROWS_AS(netgen::warps_net(grid_of(spec, 2, 0)), InputError);
    CHECK_THROWS_AS(netgen::warps_net(grid_of(spec, 1, 2)), InputError);
    CHECK_THROWS_AS(netgen::lone_warp_steps({max_tokens / 2, 0, 0}, 2, 20), InputError);
}
