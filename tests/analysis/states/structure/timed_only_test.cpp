#include "analysis/states/explore/explore.hpp"
#include "analysis/states/structure/timed_net.hpp"
#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/blocks/blocks.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/reference_exploration.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

bool has_immediate(const Net& net) { return std::ranges::any_of(net.transitions(), &Transition::immediate); }

/// The reachable markings in which no immediate transition is enabled, and the dead ones among them.
struct Stable {
    std::set<Marking> markings, dead;
    bool operator==(const Stable&) const = default;
};

Stable stable_markings(const ReferenceSpace& space) {
    Stable stable;
    for (std::size_t state = 0; state < space.markings.size(); ++state) {
        const auto& edges = space.edges[state];
        if (!edges.empty() && edges.front().immediate) continue;
        stable.markings.insert(space.markings[state]);
        if (edges.empty()) stable.dead.insert(space.markings[state]);
    }
    return stable;
}

std::string refusal(const Net& net) {
    const std::vector<std::optional<Tokens>> unknown(net.places().size());
    try {
        states::without_immediates(net, unknown);
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("without immediate transitions the reachable stable markings stay the same") {
    std::size_t compared = 0, refused = 0, with_copies = 0, fewer = 0;
    for (std::uint64_t seed = 1; seed <= case_count(4000); ++seed) {
        CAPTURE(seed);
        RandomNetOptions options;
        options.places = 5;
        options.transitions = 7;
        options.gadgets = 1;
        const Net net = random_net(seed, options);
        if (!has_immediate(net)) continue;
        const auto space = reference_space(net, Semantics::interleaving, 300);
        if (!space) continue;
        // Bounds of places, which are known for only some nets.
        std::vector<std::optional<Tokens>> bounds(net.places().size());
        if (seed % 4 != 0)
            bounds = states::bounds_of(net, std::vector<std::uint8_t>(bounds.size(), 1), {}).of;
        states::TimedNet timed;
        try {
            timed = states::without_immediates(net, bounds);
        } catch (const InputError&) {
            ++refused;
            continue;
        }
        REQUIRE_FALSE(has_immediate(timed.net));
        REQUIRE(timed.replaced > 0);
        const auto after = reference_space(timed.net, Semantics::interleaving, 300);
        REQUIRE(after);
        REQUIRE(stable_markings(*after) == stable_markings(*space));
        REQUIRE(after->markings.size() == stable_markings(*space).markings.size());
        ++compared;
        if (timed.copies > 0) ++with_copies;
        if (after->markings.size() < space->markings.size()) ++fewer;
    }
    INFO(compared << " compared, " << refused << " refused, " << with_copies << " copies, " << fewer);
    CHECK(compared >= least_count(1000));
    CHECK(with_copies >= least_count(200));
    CHECK(fewer >= least_count(300));
    CHECK(refused < compared / 2);
}

TEST_CASE("the reachable markings replace immediate transitions by fewer copies") {
    std::size_t compared = 0, refused = 0, left = 0, by_reachable = 0, by_arcs = 0, chosen = 0;
    for (std::uint64_t seed = 1; seed <= case_count(12'000); ++seed) {
        CAPTURE(seed);
        RandomNetOptions options;
        options.places = 5;
        options.transitions = 8;
        options.gadgets = 1;
        const Net net = random_net(seed, options);
        if (!has_immediate(net)) continue;
        const auto space = reference_space(net, Semantics::interleaving, 300);
        if (!space) continue;
        std::optional<states::TimedNet> timed;
        try {
            timed = states::timed_by_reachable(net);
        } catch (const InputError&) {
            ++refused;
            continue;
        }
        REQUIRE(timed);
        REQUIRE_FALSE(has_immediate(timed->net));
        const auto after = reference_space(timed->net, Semantics::interleaving, 300);
        REQUIRE(after);
        REQUIRE(stable_markings(*after) == stable_markings(*space));
        REQUIRE(after->markings.size() == stable_markings(*space).markings.size());
        ++compared;
        by_reachable += timed->copies;
        try {
            const std::vector<std::uint8_t> all(net.places().size(), 1);
            by_arcs += states::without_immediates(net, states::bounds_of(net, all, {}).of).copies;
        } catch (const InputError&) {
            by_reachable -= timed->copies;
        }
        if (states::timed_net(net, {}).by_reachable) ++chosen;
        states::StableStepsOptions few;
        few.max_markings = 2;
        if (!states::timed_by_reachable(net, few)) ++left;
    }
    INFO(compared << " compared, " << refused << " refused, " << left << " left, " << by_reachable
                  << " copies, by arcs " << by_arcs << ", chosen " << chosen);
    CHECK(compared >= least_count(3000));
    CHECK(left >= least_count(500));
    CHECK(2 * by_reachable < by_arcs);
    CHECK(chosen >= least_count(50));
    CHECK(refused < compared / 2);
}

TEST_CASE("nets of blocks become timed ones of about their size") {
    netgen::TaskSet tasks;
    tasks.gpu.sms.assign(2, {.threads = 8, .blocks = 2, .shared = 8, .registers = 8});
    tasks.gpu.warp_size = 1;
    for (const auto& [name, blocks, release] : {std::tuple("K1", 2, 0), std::tuple("K2", 3, 1)})
        tasks.operations.push_back(
            {.name = name, .blocks = blocks, .threads = 4, .time = 2, .release = release});
    const Net net = netgen::blocks_net(tasks).net;
    const states::FoundTimedNet timed = states::timed_net(net, {});
    CHECK(timed.by_reachable);
    CHECK_FALSE(has_immediate(timed.net));
    CHECK(timed.net.transitions().size() < net.transitions().size());
    const auto space = reference_space(net, Semantics::interleaving, 2000);
    const auto after = reference_space(timed.net, Semantics::interleaving, 2000);
    REQUIRE(space);
    REQUIRE(after);
    CHECK(after->markings.size() == 292);
    CHECK(stable_markings(*after) == stable_markings(*space));
}

TEST_CASE("immediate transitions that cannot be replaced are named") {
    NetBuilder choice;
    const PlaceId p = choice.add_place("p", 1), q = choice.add_place("q"), r = choice.add_place("r");
    for (const auto& [id, to] : {std::pair("left", q), std::pair("right", r)}) {
        const TransitionId t = choice.add_transition(id);
        choice.set_immediate(t);
        choice.add_input(p, t);
        choice.add_output(t, to);
    }
    CHECK_THROWS_WITH(states::timed_by_reachable(NetBuilder(choice).build()),
                      Catch::Contains("they lead to 2 stable ones, and a net has one: 0 or 1 tokens"));
    CHECK_THAT(
        refusal(NetBuilder(choice).build()),
        Catch::Contains("they lead to several stable ones, and a net has one: 0 or 1 tokens in place 'q'"));

    NetBuilder loop;
    const PlaceId a = loop.add_place("a", 1), b = loop.add_place("b"), c = loop.add_place("c");
    const TransitionId start = loop.add_transition("start");
    loop.add_input(a, start);
    loop.add_output(start, b);
    for (const auto& [id, from, to] : {std::tuple("there", b, c), std::tuple("back", c, b)}) {
        const TransitionId t = loop.add_transition(id);
        loop.set_immediate(t);
        loop.add_input(from, t);
        loop.add_output(t, to);
    }
    const Net looped = loop.build();
    CHECK_THAT(
        refusal(looped),
        Catch::Contains("after transition 'start' they can fire forever without a timed step, with 'there'"));
    CHECK_THROWS_WITH(states::timed_by_reachable(looped),
                      Catch::Contains("after transition 'start' they can fire forever without a timed step"));

    NetBuilder flood;  // any number of tokens moves at once
    const PlaceId many = flood.add_place("many", 1), gate = flood.add_place("gate", 1);
    const TransitionId more = flood.add_transition("more");
    flood.add_output(more, many);
    flood.add_read(gate, more);
    const TransitionId open = flood.add_transition("open");
    flood.add_input(gate, open);
    const TransitionId drain = flood.add_transition("drain");
    flood.set_immediate(drain);
    flood.add_input(many, drain);
    flood.add_inhibitor(gate, drain);
    const Net flooded = flood.build();
    CHECK_THAT(refusal(flooded), Catch::Contains("after transition 'open' they"));
    CHECK_THROWS_WITH(
        states::timed_net(flooded, {.max_states = 1000}),
        Catch::Contains("after transition 'open' they") &&
            Catch::Contains("nor by its reachable markings, which are too many (more than 1000"));
}
