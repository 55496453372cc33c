#include "analysis/states/explore/explore.hpp"

#include "analysis/states/explore/path_to.hpp"
#include "analysis/states/explore/run_extremes.hpp"
#include "analysis/states/explore/state_space.hpp"
#include "analysis/states/explore/step_graph.hpp"
#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/reference_exploration.hpp"

#include <numeric>

#include <catch2/catch.hpp>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// Per pair of states whether the second can be reached from the first.
std::vector<std::vector<bool>> reachability(const ReferenceSpace& space) {
    const std::size_t count = space.markings.size();
    std::vector<std::vector<bool>> reach(count, std::vector<bool>(count, false));
    for (std::size_t from = 0; from < count; ++from) {
        std::vector<std::size_t> open = {from};
        reach[from][from] = true;
        while (!open.empty()) {
            const std::size_t state = open.back();
            open.pop_back();
            for (const ReferenceEdge& edge : space.edges[state]) {
                const std::size_t target = space.numbers.at(edge.after);
                if (!reach[from][target]) open.push_back(target);
                reach[from][target] = true;
            }
        }
    }
    return reach;
}

void check_figures(const Net& net, const states::Exploration& explored, const ReferenceSpace& space) {
    REQUIRE(explored.complete());
    REQUIRE(explored.space.size() == space.markings.size());
    REQUIRE(explored.edges == space.edge_count);
    std::uint64_t deadlocks = 0, most_tokens = 0;
    std::size_t nearest = space.markings.size();
    Marking bounds(net.places().size(), 0);
    std::vector<std::uint8_t> fired(net.transitions().size(), 0);
    for (std::size_t state = 0; state < space.markings.size(); ++state) {
        const Marking& marking = space.markings[state];
        most_tokens =
            std::max(most_tokens,
                     static_cast<std::uint64_t>(std::accumulate(marking.begin(), marking.end(), Tokens{0})));
        for (std::size_t p = 0; p < marking.size(); ++p) bounds[p] = std::max(bounds[p], marking[p]);
        for (const ReferenceEdge& edge : space.edges[state])
            for (std::size_t t = 0; t < fired.size(); ++t)
                if (edge.firings[t] > 0) fired[t] = 1;
        if (!space.edges[state].empty()) continue;
        ++deadlocks;
        nearest = std::min(nearest, space.distance[state]);
    }
    REQUIRE(explored.deadlocks == deadlocks);
    REQUIRE(explored.bounds == bounds);
    REQUIRE(explored.most_tokens == most_tokens);
    REQUIRE(explored.fired == fired);
    REQUIRE(explored.depth == *std::ranges::max_element(space.distance));
    REQUIRE(explored.deadlock.has_value() == (deadlocks > 0));
    for (std::uint32_t s = 0; s < states::StateSpace::shard_count; ++s)
        for (std::uint32_t i = 0; i < explored.space.shard(s).size(); ++i)
            REQUIRE(space.numbers.contains(explored.space.marking(states::StateSpace::id(s, i))));
}

void check_path(const Net& net, const CompiledNet& compiled, Semantics semantics,
                const states::Exploration& explored, const ReferenceSpace& space) {
    if (!explored.deadlock) return;
    const Schedule path = states::path_to(compiled, semantics, explored.space, *explored.deadlock);
    const RunResult run = replay(compiled, net, path, semantics);
    REQUIRE(run.reason == StopReason::dead);
    REQUIRE(run.marking == explored.space.marking(*explored.deadlock));
    for (std::size_t state = 0; state < space.markings.size(); ++state)
        if (space.edges[state].empty()) REQUIRE(path.size() <= space.distance[state]);
}

void check_liveness(const Net& net, const states::Liveness& found, const ReferenceSpace& space) {
    const auto reach = reachability(space);
    const std::size_t count = space.markings.size();
    std::uint64_t home = 0;
    for (std::size_t state = 0; state < count; ++state) {
        const bool everywhere =
            std::ranges::all_of(reach, [&](const std::vector<bool>& from) { return from[state]; });
        home += everywhere ? 1 : 0;
        if (state == 0) REQUIRE(found.reversible == everywhere);
    }
    REQUIRE(found.home_states == home);
    for (std::size_t t = 0; t < net.transitions().size(); ++t) {
        bool live = true;
        for (std::size_t from = 0; from < count && live; ++from) {
            bool fires = false;
            for (std::size_t to = 0; to < count && !fires; ++to)
                fires = reach[from][to] && std::ranges::any_of(space.edges[to], [&](const ReferenceEdge& e) {
                            return e.firings[t] > 0;
                        });
            live = fires;
        }
        REQUIRE((found.live[t] != 0) == live);
    }
}

/// Lengths by relaxation until nothing changes. A longest run that still grows after as many rounds as there
/// are states never ends.
void check_lengths(const states::RunLengths& found, const ReferenceSpace& space) {
    const std::size_t count = space.markings.size();
    constexpr std::uint64_t far = 1u << 30;
    std::vector<std::uint64_t> least(count, far);
    std::vector<std::uint64_t> most(count, 0);
    for (std::size_t state = 0; state < count; ++state)
        if (space.edges[state].empty()) least[state] = 0;
    bool endless = false;
    std::vector<std::size_t> depth(count, 0);  // edges of the longest walk from here
    for (std::size_t round = 0; round <= count; ++round) {
        bool changed = false;
        for (std::size_t state = 0; state < count; ++state) {
            for (const ReferenceEdge& edge : space.edges[state]) {
                const std::size_t target = space.numbers.at(edge.after);
                const std::uint64_t cost = edge.immediate ? 0 : 1;
                changed |= least[target] + cost < least[state] || depth[target] + 1 > depth[state] ||
                           most[target] + cost > most[state];
                least[state] = std::min(least[state], least[target] + cost);
                depth[state] = std::max(depth[state], depth[target] + 1);
                most[state] = std::max(most[state], most[target] + cost);
            }
            endless |= depth[state] > count;
        }
        if (!changed || endless) break;
    }
    if (!endless) {
        REQUIRE(found.longest == most[0]);
        REQUIRE(found.cycle.empty());
    } else {
        REQUIRE_FALSE(found.longest);
        REQUIRE(found.cycle.size() >= 2);
        REQUIRE(found.cycle.front() == found.cycle.back());
    }
    for (std::size_t round = 0; round < count; ++round)
        for (std::size_t state = 0; state < count; ++state)
            for (const ReferenceEdge& edge : space.edges[state])
                least[state] =
                    std::min(least[state], least[space.numbers.at(edge.after)] + (edge.immediate ? 0 : 1));
    REQUIRE(found.shortest.has_value() == (least[0] < far));
    if (found.shortest) REQUIRE(*found.shortest == least[0]);
}

/// All dead markings, nearest first, and with a limit the nearest ones.
void check_dead_markings(const CompiledNet& compiled, Semantics semantics, const ReferenceSpace& space) {
    std::size_t dead = 0;
    for (const auto& edges : space.edges) dead += edges.empty() ? 1U : 0U;
    std::vector<std::size_t> all;
    for (const std::size_t most : {space.edges.size() + 1, std::size_t{2}}) {
        states::DeadMarkings watch(compiled, most);
        const states::Exploration explored =
            states::explore(compiled, {.semantics = semantics, .watch = &watch});
        std::vector<std::size_t> steps;
        for (const Marking& marking : watch.nearest()) {
            REQUIRE(space.edges[space.numbers.at(marking)].empty());
            const states::StateId state = states::find_state(explored.space, marking, nullptr).value();
            steps.push_back(states::path_to(compiled, semantics, explored.space, state).size());
        }
        REQUIRE(steps.size() == std::min(dead, most));
        REQUIRE(std::is_sorted(steps.begin(), steps.end()));
        if (all.empty()) all = steps;
        REQUIRE(std::equal(steps.begin(), steps.end(), all.begin()));
    }
}

/// The number of nets that were small enough to be compared.
std::size_t compare_with_reference(Semantics semantics, std::uint64_t nets) {
    std::size_t compared = 0;
    for (std::uint64_t seed = 1; seed <= nets; ++seed) {
        CAPTURE(seed);
        const Net net = random_net(seed, small_net_options(semantics));
        const auto space = reference_space(net, semantics, 150);
        if (!space) continue;
        ++compared;
        const CompiledNet compiled = compile(net);
        const states::ExploreOptions options{.semantics = semantics};
        const states::Exploration explored = states::explore(compiled, options);
        check_figures(net, explored, *space);
        check_path(net, compiled, semantics, explored, *space);
        if (seed % 5 == 0) check_dead_markings(compiled, semantics, *space);
        if (space->markings.size() > 60) continue;
        const auto graph = states::step_graph(compiled, options, explored);
        REQUIRE(graph);
        REQUIRE(graph->edges() == space->edge_count);
        check_liveness(net, states::liveness(compiled, semantics, explored, *graph), *space);
        check_lengths(states::run_lengths(*graph), *space);
    }
    return compared;
}

}  // namespace

TEST_CASE("random nets have the state space of the definition, interleaving") {
    CHECK(compare_with_reference(Semantics::interleaving, 2500) > 1500);
}

TEST_CASE("random nets have the state space of the definition, maximal steps") {
    CHECK(compare_with_reference(Semantics::maximal, 2500) > 1500);
}

TEST_CASE("random nets have the state space of the definition, multiset steps") {
    CHECK(compare_with_reference(Semantics::multiset, 2500) > 1500);
}
