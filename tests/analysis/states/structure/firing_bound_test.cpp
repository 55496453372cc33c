#include "analysis/states/structure/firing_bound.hpp"

#include "analysis/states/explore/run_extremes.hpp"
#include "engine/net/net_builder.hpp"
#include "engine/plan.hpp"
#include "netgen/cfg/net.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/cfg_samples.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/sample_nets.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

states::ExploreOptions up_to(std::uint64_t states) {
    states::ExploreOptions options;
    options.semantics = Semantics::maximal;
    options.max_states = states;
    return options;
}

/// `length` steps for each of `tokens` tokens from `begin` to `end`.
Net delays(Tokens length, Tokens tokens) {
    NetBuilder net;
    const PlaceId begin = net.add_place("begin", tokens), wait = net.add_place("wait"),
                  timer = net.add_place("timer", length - 1), end = net.add_place("end");
    const TransitionId start = net.add_transition("start"), tick = net.add_transition("tick"),
                       done = net.add_transition("done");
    net.add_input(begin, start);
    net.add_output(start, wait);
    add_delay_arcs(net, wait, timer, tick, done, length);
    net.add_output(done, end);
    return net.build();
}

}  // namespace

TEST_CASE("of one delay the bound is what it takes") {
    CHECK(states::firing_bound(compile(delays(5, 1))).steps == 1 + 5);
    // The bound ignores parallel firings: 1 + 5 firings per token.
    CHECK(states::firing_bound(compile(delays(5, 3))).steps == 3 * (1 + 5));
}

TEST_CASE("a place that only inhibited transitions fill cannot feed a run forever") {
    NetBuilder net;
    const PlaceId credit = net.add_place("credit"), work = net.add_place("work", 4);
    const TransitionId refill = net.add_transition("refill"), use = net.add_transition("use");
    net.add_inhibitor(credit, refill, 3);
    net.add_output(refill, credit, 2);
    net.add_input(work, use);
    net.add_input(credit, use, 1);
    const CompiledNet compiled = compile(net.build());
    // At most 4 tokens and 4 uses: 4 refills.
    CHECK(states::firing_bound(compiled).steps == 4 + 4);
    CHECK(states::run_extremes(compiled).longest.value() <= 8);
}

TEST_CASE("no bound where a run can go on forever, and none of idle transitions") {
    NetBuilder net;
    const PlaceId a = net.add_place("a", 1), b = net.add_place("b");
    const TransitionId t = net.add_transition("t"), u = net.add_transition("u");
    net.add_input(a, t);
    net.add_output(t, b);
    net.add_input(b, u);
    net.add_output(u, a);
    CHECK(states::firing_bound(compile(net.build())).argument == "it allows endless firing");
    netgen::WarpsSpec spec;
    spec.warps.assign(2, {1, 1, 1});
    CHECK(states::firing_bound(compile(netgen::warps_net(spec))).argument ==
          "a transition can fire without changing anything");
}

TEST_CASE("the bound of a control-flow graph whose sides run one after the other is its time") {
    for (std::uint64_t seed = 0; seed < case_count(200); ++seed) {
        const netgen::StructuredCfg cfg = RandomCfg(seed, 6).build();
        const CompiledNet unsplit =
            compile(netgen::cfg_net(cfg, netgen::annotate(cfg, netgen::SplitSet(cfg.blocks().size()), 1)));
        CAPTURE(seed);
        CHECK(states::firing_bound(unsplit).steps == run(unsplit).steps);
        netgen::SplitSet all(cfg.blocks().size());
        for (std::size_t b = 0; b < all.size(); ++b) all[b] = cfg.blocks()[b].is_branch();
        const CompiledNet split =
            compile(netgen::cfg_net(cfg, netgen::annotate(cfg, all, netgen::unit_demand(cfg, all))));
        CHECK(states::firing_bound(split).steps.value() >= run(split).steps);
    }
}

TEST_CASE("no run of a random net takes longer than its bound") {
    int bounds = 0, equal = 0, endless = 0;
    for (std::uint64_t seed = 0; seed < case_count(4000); ++seed) {
        RandomNetOptions options;
        options.sources = false;
        options.transitions = 6;
        const Net net = random_net(seed, options);
        const CompiledNet compiled = compile(net);
        const states::RunExtremes extremes = states::run_extremes(compiled, up_to(20'000));
        if (extremes.stop != WorkEnd::complete) continue;
        const bool for_ever = std::any_of(extremes.cycle.begin(), extremes.cycle.end(),
                                          [](const ScheduledStep& step) { return !step.immediate; });
        const states::FiringBound bound = states::firing_bound(compiled);
        CAPTURE(seed, bound.argument);
        endless += for_ever ? 1 : 0;
        if (for_ever) CHECK(!bound.steps);
        if (!bound.steps || !extremes.longest) continue;
        ++bounds;
        equal += *bound.steps == *extremes.longest ? 1 : 0;
        CHECK(*bound.steps >= *extremes.longest);
    }
    CAPTURE(bounds, equal, endless);
    CHECK(bounds > 0);
    CHECK(equal > 0);
    CHECK(endless > 0);
}
