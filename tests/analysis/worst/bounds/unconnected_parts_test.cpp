#include "analysis/worst/bounds/unconnected_parts.hpp"

#include "analysis/states/explore/run_extremes.hpp"
#include "analysis/worst/worst_case.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/kernel/kernel.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_parts_net.hpp"
#include "tests/support/sample_nets.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

Net small_kernel(const char* string) {
    return netgen::kernel_net(
        {.string = string, .warps = 2, .units = {{'C', {1, 1}}, {'L', {1, 1}}}, .schedulers = 1});
}

/// Tokens go from a first place to a last one, directly or through a third place.
Net detours(Tokens tokens) {
    NetBuilder net;
    const PlaceId first = net.add_place("first", tokens), way = net.add_place("way"),
                  last = net.add_place("last");
    const auto move = [&](const char* id, PlaceId from, PlaceId to) {
        const TransitionId moved = net.add_transition(id);
        net.add_arc(ArcKind::input, from, moved);
        net.add_arc(ArcKind::output, to, moved);
    };
    move("straight", first, last);
    move("leave", first, way);
    move("arrive", way, last);
    return std::move(net).build();
}

}  // namespace

TEST_CASE("unconnected parts: each has a run and a bound, also when the time is over before its turn") {
    const Net net = net_union({detours(5), detours(9), detours(2)}, false);
    const std::optional<std::uint64_t> longest =
        states::run_extremes(compile(net), states::ExploreOptions{.semantics = Semantics::maximal}).longest;
    REQUIRE(longest);
    worst::WorstCaseOptions options;
    options.limits.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
    const worst::WorstCase worst = worst::worst_case(net, options);
    REQUIRE(worst.found);
    REQUIRE(worst.bound);
    CHECK(worst.found <= longest);
    CHECK(worst.bound >= longest);
    CHECK(worst.replayed);
    CHECK_FALSE(worst.bound_only);
}

TEST_CASE("unconnected parts: equal ones are found once, whatever the order of the nodes") {
    for (const bool shuffled : {false, true}) {
        const Net net = net_union({small_kernel("LLC"), small_kernel("CLC"), small_kernel("LLC")}, shuffled);
        const auto parts = worst::unconnected_parts(net, 2);
        REQUIRE(parts);
        REQUIRE(parts->kinds.size() == 2);
        REQUIRE(parts->parts.size() == 3);
        CHECK(parts->parts[2].kind == parts->parts[0].kind);
        CHECK(parts->kinds[0].transitions().size() == parts->parts[2].transitions.size());
        CHECK(net.transitions()[parts->parts[2].transitions[0]].id.starts_with("2_"));
        CHECK_FALSE(worst::unconnected_parts(net, 1));
    }
    CHECK_FALSE(worst::unconnected_parts(small_kernel("LLC"), 9));
}

TEST_CASE("unconnected parts: a place that is never short connects nothing") {
    const auto two_jobs = [](Tokens permits, bool limited, bool inhibits) {
        NetBuilder net;
        const PlaceId permit = net.add_place("permit", permits);
        for (const char* const job : {"a_", "b_"}) {
            const std::string id = job;
            const PlaceId work = net.add_place(id + "work", 2);
            const TransitionId end = net.add_transition(id + "end");
            net.add_input(work, end);
            net.add_input(permit, end);
            if (limited) continue;
            const TransitionId again = net.add_transition(id + "again");
            net.add_output(again, work);
            net.add_input(net.add_place(id + "once", 1), again);
        }
        if (inhibits) net.add_inhibitor(permit, net.add_transition("c"));
        return net.build();
    };
    const auto parts = worst::unconnected_parts(two_jobs(4, true, false), 2);
    REQUIRE(parts);
    CHECK(parts->parts.size() == 2);
    CHECK(parts->kinds.size() == 1);
    CHECK(parts->meet);
    const worst::WorstCase worst = worst::worst_case(two_jobs(4, true, false));
    CHECK(worst.found == 2);
    CHECK(worst.replayed);
    CHECK_FALSE(worst::unconnected_parts(two_jobs(3, true, false), 2));
    CHECK_FALSE(worst::unconnected_parts(two_jobs(4, false, false), 2));
    CHECK_FALSE(worst::unconnected_parts(two_jobs(4, true, true), 3));
}

TEST_CASE("unconnected parts: nets of several are as long as the longest, against every run") {
    std::uint64_t nets = 0, shorter = 0;
    for (std::uint64_t seed = 0; seed < case_count(300); ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 77);
        std::vector<Net> parts;
        for (std::uint32_t i = 0; i < 2 + seed % 2; ++i)
            parts.push_back(i > 0 && random.below(3) == 0 ? parts.front()
                                                          : RandomPartsNet(seed * 3 + i).build());
        const Net net = net_union(parts, random.below(2) == 0);
        const states::RunExtremes all =
            states::run_extremes(compile(net), {.semantics = Semantics::maximal, .max_states = 20'000});
        if (all.stop != WorkEnd::complete) continue;
        for (const worst::Objective objective : {worst::Objective::longest, worst::Objective::shortest}) {
            const worst::WorstCase worst = worst::worst_case(net, {.objective = objective});
            const auto& expected = objective == worst::Objective::longest ? all.longest : all.shortest;
            CHECK(worst.found == expected);
            CHECK((worst.endless != worst::EndlessRuns::none_known) == !expected.has_value());
            if (expected) {
                CHECK(worst.bound == expected);
                CHECK(worst.replayed);
            }
        }
        ++nets;
        shorter += all.shortest && all.longest && all.shortest != all.longest;
    }
    WARN(nets << " nets, " << shorter << " of them with runs of several lengths");
    CHECK(shorter > nets / 20);
}

TEST_CASE("unconnected parts: SMs with waits are bounded and searched as one of them") {
    netgen::KernelSpec spec{.string = "LCLLC",
                            .warps = 3,
                            .units = {{'C', {1, 1}}, {'L', {1, 1}}},
                            .schedulers = 1,
                            .latency = {{'C', 2}},
                            .wait = {{'L', 4}}};
    const worst::WorstCase one =
        worst::worst_case(netgen::kernel_net(spec, netgen::MultiCycle::non_preemptive));
    spec.sms = 6;
    const Net net = netgen::kernel_net(spec, netgen::MultiCycle::non_preemptive);
    const worst::WorstCase six = worst::worst_case(net);
    CHECK(six.found == one.found);
    CHECK(six.bound == one.bound);
    CHECK(six.exact == one.exact);
    CHECK(six.replayed);
    CHECK(six.arguments.front().starts_with("6 equal parts of the net share nothing"));
}
