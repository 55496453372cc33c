// Sequences of single firings make exactly the maximal steps of the net. The reference exploration is the
// judge.

#include "engine/net/error.hpp"
#include "pnml/rewrite.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/reference_exploration.hpp"
#include "tests/support/sample_nets.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

std::size_t place_of(const Net& net, const std::string& id) { return index(*NodeIndex(net).place(id)); }

/// The behaviour of a sequential net, in terms of the original net.
struct Steps {
    std::map<Marking, std::set<Marking>> after;  ///< from each marking between steps
    std::set<Marking> dead;
    std::size_t stuck = 0;  ///< dead markings without `end`
};

/// Nothing if there are more than `most` markings.
std::optional<Steps> steps_of(const Net& old, const pnml::SequentialNet& made, std::size_t most) {
    const ReferenceSteps firings(made.net, Semantics::interleaving);
    const std::size_t start = place_of(made.net, made.start), end = place_of(made.net, made.end);
    const auto cut = [&](const Marking& marking) {
        return Marking(marking.begin(), marking.begin() + static_cast<std::ptrdiff_t>(old.places().size()));
    };
    Steps steps;
    std::set<Marking> begun = {made.net.initial_marking()};
    std::vector<Marking> open(begun.begin(), begun.end());
    std::size_t count = 0;
    while (!open.empty()) {
        const Marking from = open.back();
        open.pop_back();
        steps.after[cut(from)];
        std::set<Marking> seen = {from};
        std::vector<Marking> inside = {from};
        while (!inside.empty()) {
            const Marking marking = inside.back();
            inside.pop_back();
            const std::vector<ReferenceEdge> edges = firings(marking);
            if (edges.empty()) {
                if (marking[end] == 0) ++steps.stuck;
                steps.dead.insert(cut(marking));
            }
            for (const ReferenceEdge& edge : edges) {
                if (++count > most) return std::nullopt;
                if (edge.after[start] == 0) {
                    if (seen.insert(edge.after).second) inside.push_back(edge.after);
                    continue;
                }
                steps.after[cut(from)].insert(cut(edge.after));
                if (begun.insert(edge.after).second) open.push_back(edge.after);
            }
        }
    }
    return steps;
}

/// The number of random nets that were small enough to be compared.
std::uint64_t compare(Semantics semantics, std::uint64_t seeds) {
    std::uint64_t compared = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const Net net = random_net(seed, small_net_options(semantics));
        const auto space = reference_space(net, semantics, 60);
        if (!space) continue;
        CAPTURE(seed);
        const bool multiset = semantics == Semantics::multiset;
        const auto steps = steps_of(net, pnml::sequential_net(net, {.multiset = multiset}), 200'000);
        if (!steps) continue;
        ++compared;
        REQUIRE(steps->stuck == 0);
        REQUIRE(steps->after.size() == space->markings.size());
        std::set<Marking> dead;
        for (std::size_t state = 0; state < space->markings.size(); ++state) {
            std::set<Marking> after;
            for (const ReferenceEdge& edge : space->edges[state]) after.insert(edge.after);
            if (after.empty()) dead.insert(space->markings[state]);
            REQUIRE(steps->after.at(space->markings[state]) == after);
        }
        REQUIRE(steps->dead == dead);
    }
    return compared;
}

}  // namespace

TEST_CASE("sequential nets make the steps of random nets, maximal sets") {
    const std::uint64_t nets = case_count(1'500);
    CHECK(compare(Semantics::maximal, nets) > nets / 2);
}

TEST_CASE("sequential nets make the steps of random nets, maximal multisets") {
    const std::uint64_t nets = case_count(1'000);
    CHECK(compare(Semantics::multiset, nets) > nets / 2);
}

TEST_CASE("a sequential net counts the timed steps") {
    std::uint64_t compared = 0;
    const std::uint64_t nets = case_count(1'000);
    for (std::uint64_t seed = 0; seed < nets; ++seed) {
        const Net net = random_net(seed, small_net_options(Semantics::maximal));
        const auto space = reference_space(net, Semantics::maximal, 60);
        if (!space) continue;
        // Each marking with each number of timed steps after which it is reached.
        std::set<std::pair<std::size_t, Tokens>> reached = {{0, 0}};
        std::vector<std::pair<std::size_t, Tokens>> open(reached.begin(), reached.end());
        while (!open.empty() && reached.size() < 300) {
            const auto [state, steps] = open.back();
            open.pop_back();
            for (const ReferenceEdge& edge : space->edges[state]) {
                const std::pair next(space->numbers.at(edge.after), steps + (edge.immediate ? 0 : 1));
                if (reached.insert(next).second) open.push_back(next);
            }
        }
        if (!open.empty()) continue;
        CAPTURE(seed);
        const pnml::SequentialNet made = pnml::sequential_net(net, {.count_steps = true});
        const std::size_t count = place_of(made.net, made.steps), start = place_of(made.net, made.start);
        const auto all = reference_space(made.net, Semantics::interleaving, 20'000);
        if (!all) continue;
        ++compared;
        std::set<std::pair<std::size_t, Tokens>> counted;
        for (const Marking& marking : all->markings) {
            if (marking[start] == 0) continue;
            const Marking old(marking.begin(),
                              marking.begin() + static_cast<std::ptrdiff_t>(net.places().size()));
            counted.emplace(space->numbers.at(old), marking[count]);
        }
        REQUIRE(counted == reached);
    }
    CHECK(compared > nets / 4);
}

TEST_CASE("a sequential net keeps ids, and adds others") {
    NetBuilder builder("net");
    const PlaceId a = builder.add_place("step.start", 2), b = builder.add_place("b");
    const TransitionId t = builder.add_transition("t");
    builder.add_input(a, t);
    builder.add_output(t, b);
    const Net net = builder.build();
    const pnml::SequentialNet made = pnml::sequential_net(net, {.multiset = true, .count_steps = true});
    CHECK(made.net.places()[0].id == "step.start");
    CHECK(made.start == "step.start_");
    CHECK(made.end == "step.end");
    CHECK(made.steps == "step.count");
    const auto steps = steps_of(net, made, 1'000);
    REQUIRE(steps);
    CHECK(steps->after == std::map<Marking, std::set<Marking>>{{{2, 0}, {{0, 2}}}, {{0, 2}, {}}});
}

TEST_CASE("a multiset step that can be infinite has no sequence") {
    NetBuilder builder("net");
    const PlaceId p = builder.add_place("p");
    builder.add_output(builder.add_transition("source"), p);
    const Net net = builder.build();
    CHECK_THROWS_WITH(
        pnml::sequential_net(net, {.multiset = true}),
        "transition 'source': a multiset step can be infinite: expected an input arc, found none");
    CHECK_NOTHROW(pnml::sequential_net(net));
}
