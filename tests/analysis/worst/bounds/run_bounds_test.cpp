// Bounds, compared with the longest and shortest runs of a complete exploration.

#include "analysis/worst/bounds/run_bounds.hpp"

#include "analysis/states/explore/run_extremes.hpp"
#include "analysis/worst/exact/extremes.hpp"
#include "analysis/worst/worst_case.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/kernel/kernel.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_module_net.hpp"

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

Net equal_warps(std::size_t warps, Tokens schedulers, netgen::WarpCounts counts) {
    netgen::WarpsSpec spec;
    spec.warps.assign(warps, counts);
    spec.schedulers = schedulers;
    return netgen::warps_net(spec);
}

struct Judgement {
    std::size_t nets = 0;     ///< explored completely, with an upper bound
    std::size_t equal = 0;    ///< nets whose bound is reached
    std::size_t lower = 0;    ///< with a lower bound
    std::size_t endless = 0;  ///< nets with a run that does not end
};

/// Hubs as in RandomModuleNet.
Plan plan_for(const Net& net) {
    constexpr CompileOptions few_consumers = {.hub_consumers = 3};
    return plan(compile(net, few_consumers), {}, {.arrays = few_consumers});
}

void judge(const Net& net, const Plan& planned, Judgement& judgement) {
    const worst::RunBounds bounds = worst::run_bounds(net, planned);
    states::ExploreOptions options{.semantics = Semantics::maximal};
    options.max_states = 20'000;
    const states::RunExtremes extremes = states::run_extremes(planned.net(), options);
    if (extremes.stop != WorkEnd::complete) return;
    if (!extremes.longest) {
        ++judgement.endless;
        CHECK(bounds.upper.empty());
    }
    if (bounds.fires_forever) CHECK_FALSE(extremes.shortest);
    if (!bounds.upper.empty() && extremes.longest) {
        ++judgement.nets;
        for (const worst::StepBound& bound : bounds.upper) {
            CAPTURE(bound.argument);
            CHECK(bound.steps >= *extremes.longest);
        }
        if (bounds.upper.front().steps == *extremes.longest) ++judgement.equal;
    }
    if (!bounds.lower.empty() && extremes.shortest) {
        ++judgement.lower;
        for (const worst::StepBound& bound : bounds.lower) {
            CAPTURE(bound.argument);
            CHECK(bound.steps <= *extremes.shortest);
        }
    }
}

/// The same net with one place from which all warps take a token as they end, under any scheduler, and
/// without the transitions that change nothing.
Net with_one_alive(const Net& net, Tokens warps) {
    NetBuilder builder("one alive");
    const PlaceId alive = builder.add_place("alive", warps);
    std::vector<PlaceId> places;
    for (const Place& place : net.places())
        places.push_back(place.id.starts_with("alive") ? alive : builder.add_place(place.id, place.initial));
    for (std::size_t t = 0; t < net.transitions().size(); ++t) {
        if (net.transitions()[t].id.starts_with("idle")) continue;
        const TransitionId added = builder.add_transition(net.transitions()[t].id);
        for (const Arc& arc : net.arcs_of(TransitionId(t)))
            builder.add_arc(arc.kind, places[index(arc.place)], added, arc.weight);
    }
    return builder.build();
}

/// Warps of few instructions, fixed to schedulers.
netgen::WarpsSpec small_fixed(CounterRandom& random) {
    netgen::WarpsSpec spec;
    const std::uint32_t warps = 2 + random.below(4);
    for (std::uint32_t w = 0; w < warps; ++w)
        spec.warps.push_back(
            {random.below(warps < 4 ? 4 : 2), random.below(warps < 4 ? 2 : 1), random.below(2)});
    spec.schedulers = 1 + random.below(3);
    spec.assignment = netgen::Assignment::fixed;
    spec.dispatch_units = 1 + random.below(4) / 3;
    spec.shared_latency = 1 + random.below(2);
    spec.global_latency = 1 + random.below(warps < 4 ? 5 : 2);
    return spec;
}

/// The bound without search of a net that may be divided.
void judge_case(const Net& net, Judgement& judgement) {
    const Plan planned = plan(compile(net), {}, {.borrowed_hubs = true});
    judge(net, planned, judgement);
    states::ExploreOptions options{.semantics = Semantics::maximal};
    options.max_states = 20'000;
    const states::RunExtremes extremes = states::run_extremes(planned.net(), options);
    if (extremes.stop != WorkEnd::complete || !extremes.longest) return;
    const std::optional<worst::QuickBound> bound = worst::quick_bound(net);
    if (bound) CHECK(bound->steps >= *extremes.longest);
}

}  // namespace

TEST_CASE("run bounds: parts that are fixed to a hub wait for the others of this hub alone") {
    netgen::WarpsSpec spec;
    spec.warps.assign(5, {.arith = 200, .shared = 50, .global = 20});
    spec.schedulers = 4;
    spec.assignment = netgen::Assignment::fixed;
    // The warps alone take 1651 steps, and hold their scheduler in 940 of them.
    for (const Net& net : {netgen::warps_net(spec), with_one_alive(netgen::warps_net(spec), 5)}) {
        const Plan planned = plan(compile(net), {}, {.borrowed_hubs = true});
        const worst::RunBounds bounds = worst::run_bounds(net, planned, {.pair_columns = 0});
        REQUIRE_FALSE(bounds.upper.empty());
        CHECK(bounds.upper.front().steps == 2591);
        REQUIRE(worst::quick_bound(net));
        CHECK(worst::quick_bound(net)->steps == 2303);  // by pairs
    }
    spec.dispatch_units = 2;
    CHECK(worst::quick_bound(netgen::warps_net(spec))->steps == 1651);
}

TEST_CASE("run bounds: never crossed by a run of warps that are fixed to schedulers") {
    Judgement judgement, one_alive;
    for (std::uint64_t seed = 0; seed < case_count(200); ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 3);
        const netgen::WarpsSpec spec = small_fixed(random);
        if (seed % 3 == 0)
            judge_case(with_one_alive(netgen::warps_net(spec), static_cast<Tokens>(spec.warps.size())),
                       one_alive);
        else
            judge_case(netgen::warps_net(spec), judgement);
    }
    CHECK(judgement.nets >= least_count(60));
    CHECK(one_alive.nets >= least_count(30));
    CHECK(judgement.endless + one_alive.endless == 0);
    WARN(judgement.nets << " nets, bound reached in " << judgement.equal << "; with one alive "
                        << one_alive.nets << ", reached in " << one_alive.equal);
}

TEST_CASE("run bounds: never crossed by a grid of blocks whose warps are fixed, or assigned by the run") {
    std::size_t grids = 0, assigned = 0, equal = 0;
    for (std::uint64_t seed = 0; seed < case_count(120); ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 13);
        netgen::WarpsSpec spec;
        for (std::uint32_t warps = 1 + random.below(3); warps > 0; --warps)
            spec.warps.push_back({random.below(3), random.below(2), random.below(2)});
        spec.schedulers = 1 + random.below(3);
        spec.assignment = random.below(2) == 0 ? netgen::Assignment::fixed : netgen::Assignment::any;
        spec.dispatch_units = 1 + random.below(4) / 3;
        spec.shared_latency = 1 + random.below(2);
        spec.global_latency = 1 + random.below(3);
        if (random.below(3) > 0) {
            spec.sms = 1 + random.below(2);
            spec.blocks = static_cast<Tokens>(spec.sms + random.below(2));
        }
        const Net net = netgen::warps_net(spec);
        const states::RunExtremes extremes =
            states::run_extremes(compile(net), {.semantics = Semantics::maximal, .max_states = 20'000});
        if (extremes.stop != WorkEnd::complete || !extremes.longest) continue;
        const std::optional<worst::QuickBound> bound = worst::quick_bound(net);
        if (!bound) continue;
        ++(spec.blocks > 0 ? grids : assigned);
        CHECK(bound->steps >= *extremes.longest);
        if (bound->steps == *extremes.longest) ++equal;
    }
    CHECK(grids >= least_count(15));
    CHECK(assigned >= least_count(15));
    WARN(grids << " grids and " << assigned << " blocks, bound reached in " << equal);
}

TEST_CASE("run bounds: the argument of starvation on warps nets") {
    struct Row {
        std::size_t warps;
        Tokens schedulers;
        netgen::WarpCounts counts;
        std::uint64_t bound;
    };
    for (const Row& row :
         {Row{4, 2, {20, 5, 2}, 307}, Row{6, 2, {10, 2, 1}, 190}, Row{8, 2, {20, 5, 2}, 495},
          Row{8, 2, {50, 10, 5}, 1166}, Row{16, 4, {20, 5, 2}, 518}, Row{16, 2, {200, 50, 20}, 8701},
          Row{32, 4, {200, 50, 20}, 8936}, Row{8, 2, {146, 136, 9}, 6214}, Row{8, 4, {414, 0, 129}, 7507},
          Row{2, 2, {7, 3, 1}, 75}}) {
        CAPTURE(row.warps, row.schedulers, row.counts.arith);
        const Net net = equal_warps(row.warps, row.schedulers, row.counts);
        worst::RunBoundOptions options;
        options.pair_columns = 0;
        const worst::RunBounds bounds = worst::run_bounds(net, plan(compile(net)), options);
        REQUIRE(!bounds.upper.empty());
        CHECK(bounds.upper.front().steps == row.bound);
    }
}

TEST_CASE("run bounds: long delays of others cannot all begin together") {
    const Net net = equal_warps(8, 4, {414, 0, 129});
    const worst::RunBounds bounds = worst::run_bounds(net, plan(compile(net)));
    REQUIRE(bounds.upper.size() == 3);
    CHECK(bounds.upper[0].steps == 7410);
    CHECK(bounds.upper[1].steps == 7507);
}

TEST_CASE("run bounds: an interrupt leaves out what takes long") {
    const Net net = equal_warps(8, 4, {414, 0, 129});
    const Plan planned = plan(compile(net));
    const std::atomic<bool> interrupt = true;
    const worst::RunBounds quick = worst::run_bounds(net, planned, {.limits = {.interrupt = &interrupt}});
    const worst::RunBounds none = worst::run_bounds(net, planned, {.pair_columns = 0});
    const worst::RunBounds pairs = worst::run_bounds(net, planned);
    CHECK(quick.upper.front().steps == none.upper.front().steps);
    CHECK(pairs.upper.front().steps < quick.upper.front().steps);
}

TEST_CASE("run bounds: never crossed by a run of a small warps net") {
    Judgement judgement;
    for (std::uint64_t seed = 0; seed < case_count(300); ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 1);
        netgen::WarpsSpec spec;
        for (std::uint32_t warps = 2 + random.below(2); warps > 0; --warps)
            spec.warps.push_back({random.below(4), random.below(2), random.below(2)});
        spec.schedulers = 1 + random.below(3);
        spec.shared_latency = 1 + random.below(3);
        spec.global_latency = 1 + random.below(6);
        const Net net = netgen::warps_net(spec);
        judge(net, plan(compile(net)), judgement);
    }
    CHECK(judgement.nets >= least_count(200));
    CHECK(judgement.equal >= least_count(60));
    CHECK(judgement.lower >= least_count(200));
    CHECK(judgement.endless == 0);
    WARN(judgement.nets << " nets, bound reached in " << judgement.equal);
}

TEST_CASE("run bounds: a transition that goes on when no part moves is named, and no run has a bound") {
    const Net whole = equal_warps(4, 2, {3, 1, 1});
    NetBuilder builder("without alive");
    std::vector<PlaceId> places;
    for (const Place& place : whole.places()) places.push_back(builder.add_place(place.id, place.initial));
    for (std::size_t t = 0; t < whole.transitions().size(); ++t) {
        const TransitionId added = builder.add_transition(whole.transitions()[t].id);
        for (const Arc& arc : whole.arcs_of(TransitionId(t)))
            if (whole.transitions()[t].id != "idle" || whole[arc.place].id != "alive")
                builder.add_arc(arc.kind, places[index(arc.place)], added, arc.weight);
    }
    const Net net = builder.build();
    const worst::RunBounds bounds = worst::run_bounds(net, plan(compile(net)));
    CHECK(bounds.upper.empty());
    REQUIRE(bounds.fires_forever);
    CHECK(net.transitions()[*bounds.fires_forever].id == "idle");
    CHECK_FALSE(bounds.lower.empty());
    CHECK_FALSE(worst::run_bounds(whole, plan(compile(whole))).fires_forever);
}

TEST_CASE("run bounds: a lone warp is a part that meets no other part") {
    for (int kinds = 1; kinds < 8; ++kinds) {
        CAPTURE(kinds);
        const auto count = [&](int bit) { return (kinds & bit) != 0 ? Tokens{4} : Tokens{0}; };
        const Net net = equal_warps(1, 2, {count(1), count(2), count(4)});
        CHECK(plan(compile(net)).modules() == nullptr);
        const Plan planned = plan(compile(net), {}, {.borrowed_hubs = true});
        REQUIRE(planned.modules() != nullptr);
        Judgement judgement;
        judge(net, planned, judgement);
        CHECK(judgement.nets == 1);
        CHECK(judgement.equal == 1);
    }
}

TEST_CASE("run bounds: never crossed by a run of a random net of parts and hubs") {
    Judgement judgement;
    std::size_t parts = 0;
    for (std::uint64_t seed = 0; seed < case_count(1500); ++seed) {
        CAPTURE(seed);
        const Net net = RandomModuleNet(seed).build();
        const Plan planned = plan_for(net);
        if (!planned.modules()) continue;
        ++parts;
        judge(net, planned, judgement);
    }
    CHECK(parts >= least_count(300));
    CHECK(judgement.nets >= least_count(40));
    WARN(judgement.nets << " nets of " << parts << ", bound reached in " << judgement.equal
                        << ", with a lower bound " << judgement.lower << ", with runs without end "
                        << judgement.endless);
}

TEST_CASE("run bounds: instruction strings with several units") {
    Judgement judgement;
    for (std::uint64_t seed = 0; seed < case_count(200); ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 2);
        netgen::KernelSpec kernel;
        for (std::uint32_t length = 2 + random.below(4); length > 0; --length)
            kernel.string += random.below(2) == 0 ? 'C' : 'L';
        kernel.warps = static_cast<int>(2 + random.below(2));
        kernel.units = {{'C', {1 + static_cast<int>(random.below(2)), 1}}, {'L', {1, 1}}};
        if (random.below(2) == 0) kernel.schedulers = 1 + static_cast<int>(random.below(2));
        if (kernel.schedulers && random.below(2) == 0) {
            kernel.assignment = netgen::Assignment::fixed;
            kernel.dispatch_units = 1 + random.below(2);
            if (random.below(2) == 0) kernel.own_units = random.below(2) == 0 ? "C" : "CL";
        }
        if (random.below(3) == 0) kernel.latency = {{'L', 2}};
        const Net net = netgen::kernel_net(kernel, netgen::MultiCycle::non_preemptive);
        judge(net, plan_for(net), judgement);
    }
    CHECK(judgement.nets >= least_count(50));
    WARN(judgement.nets << " nets, bound reached in " << judgement.equal);
}

TEST_CASE("run bounds: flows through pairs and triples are never crossed by a run") {
    std::size_t nets = 0, sharper = 0, reached = 0;
    for (std::uint64_t seed = 0; seed < case_count(25); ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 7);
        netgen::WarpsSpec spec;
        for (std::uint32_t warps = 3 + random.below(2); warps > 0; --warps)
            spec.warps.push_back({random.below(3), 0, 1 + random.below(2)});
        spec.schedulers = 1 + random.below(3);
        spec.global_latency = 1 + random.below(4);
        const Net net = netgen::warps_net(spec);
        const Plan planned = plan(compile(net));
        const worst::ExactResult exact = worst::exact_extremes(planned);
        REQUIRE(exact.found == exact.bound);
        worst::RunBoundOptions without{.pair_columns = 0}, with{.pair_columns = 8'000};
        const std::uint64_t starving = worst::run_bounds(net, planned, without).upper.front().steps;
        const std::uint64_t flow = worst::run_bounds(net, planned, with).upper.front().steps;
        CHECK(flow >= *exact.found);
        ++nets;
        if (flow < starving) ++sharper;
        if (flow < starving && flow == *exact.found) ++reached;
    }
    CHECK(sharper >= least_count(4));
    WARN(nets << " nets, sharper in " << sharper << ", reached in " << reached << " of them");
}
