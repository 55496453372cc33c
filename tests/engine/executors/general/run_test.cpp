#include "engine/base/random.hpp"
#include "engine/executors/general/candidates.hpp"
#include "engine/plan.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/executor_checks.hpp"
#include "tests/support/random_module_net.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

// Compares the general executor with the reference on nets that other executors usually run.

namespace {

Plan general_plan(const Net& net, const CompileOptions& arrays = {}) {
    return plan(compile(net, arrays), {},
                {.arrays = arrays, .modules = false, .parts = in_one_piece, .pivots = false});
}

/// A net with other priorities, and with immediate transitions. Each of them takes from a place to which only
/// timed transitions give, so they come to an end.
Net with_urgency(const Net& net, std::uint64_t seed, bool priorities) {
    std::vector<std::uint8_t> given_at_once(net.places().size(), 0), relied_on(net.places().size(), 0);
    NetBuilder builder;
    for (const Place& place : net.places()) builder.add_place(place.id, place.initial);
    for (std::size_t t = 0; t < net.transitions().size(); ++t) {
        const std::string& id = net.transitions()[t].id;
        const TransitionId added = builder.add_transition(id);
        // The same draws for transitions of equal modules.
        std::uint64_t key = 0;
        for (const char letter : id.substr(id.find('_') + 1))
            key = hash_bits(key, static_cast<unsigned char>(letter));
        CounterRandom random(seed, key);
        const auto arcs = net.arcs_of(TransitionId(t));
        for (const Arc& arc : arcs) builder.add_arc(arc.kind, arc.place, added, arc.weight);
        if (priorities && random.below(3) == 0) builder.set_priority(added, 1);
        const bool may_loop = std::any_of(arcs.begin(), arcs.end(), [&](const Arc& arc) {
            return arc.kind == ArcKind::output && relied_on[index(arc.place)] != 0;
        });
        const auto source = std::find_if(arcs.begin(), arcs.end(), [&](const Arc& arc) {
            return arc.kind == ArcKind::input && given_at_once[index(arc.place)] == 0;
        });
        if (may_loop || source == arcs.end() || random.below(3) != 0) continue;
        const bool gives_back = std::any_of(arcs.begin(), arcs.end(), [&](const Arc& arc) {
            return arc.kind == ArcKind::output && arc.place == source->place;
        });
        if (gives_back) continue;
        builder.set_immediate(added);
        relied_on[index(source->place)] = 1;
        for (const Arc& arc : arcs) {
            if (arc.kind == ArcKind::output) given_at_once[index(arc.place)] = 1;
        }
    }
    return builder.build();
}

}  // namespace

TEST_CASE("general executor: nets of modules, with and without immediate transitions and priorities") {
    const bool urgent = GENERATE(false, true);
    for (std::uint64_t seed = 0; seed < case_count(urgent ? 1000 : 600); ++seed) {
        Net net = RandomModuleNet(seed).build();
        if (urgent) net = with_urgency(net, seed, seed % 2 == 0);
        const Plan planned = general_plan(net, {.hub_consumers = 3, .group_size = 1});
        RunOptions options = options_for(seed);
        options.keyed = true;
        for (const Policy policy : {Policy::first, Policy::last, Policy::round_robin, Policy::random}) {
            CAPTURE(seed, to_string(policy));
            options.policy = policy;
            check_against_reference(net, planned, options);
        }
        options.policy = Policy::random;
        options.keyed = false;
        if (seed % 10 == 0) check_made_any_way(planned, options, seed);
    }
}

TEST_CASE("general executor: blocks that are dispatched to warps") {
    netgen::WarpsSpec spec;
    spec.warps.assign(8, {20, 5, 2});
    spec.blocks = 3;
    const Net net = netgen::warps_net(spec);
    const Plan planned = general_plan(net, {.group_size = 1});
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        RunOptions options;
        options.seed = seed;
        options.keyed = options.count_firings = true;
        check_against_reference(net, planned, options);
    }
}

TEST_CASE("general executor: a second token in a place that seems to hold one at most") {
    // From step 3 on, `give` puts tokens on `ready` faster than `take` removes them.
    NetBuilder builder;
    const PlaceId ready = builder.add_place("ready", 0), kept = builder.add_place("kept", 0);
    const PlaceId stock = builder.add_place("stock", 5), pause = builder.add_place("pause", 1);
    const TransitionId give = builder.add_transition("give"), take = builder.add_transition("take");
    const TransitionId resume = builder.add_transition("resume");
    builder.add_input(stock, give);
    builder.add_output(give, ready);
    builder.add_input(ready, take);
    builder.add_input(pause, take);
    builder.add_output(take, kept);
    builder.add_input(kept, resume);
    builder.add_output(resume, pause);
    const Net net = builder.build();
    const Plan planned = general_plan(net);
    for (std::uint64_t steps = 0; steps < 15; ++steps) {
        CAPTURE(steps);
        RunOptions options;
        options.max_steps = steps;
        options.count_firings = true;
        CHECK(same_run(run(planned, options), reference_run(net, options)));
    }
}

namespace {

/// A net for tests that depend only on the sizes of its groups.
CompiledNet groups_of(std::initializer_list<std::size_t> sizes) {
    CompiledNet net;
    for (const std::size_t size : sizes) net.groups.push_back({0, {}, std::vector<std::uint32_t>(size)});
    return net;
}

}  // namespace

TEST_CASE("Candidate sets hold what was put into them, in ascending order") {
    const CompiledNet net = groups_of({1, 64, 5, 65, 20'000});
    CandidateSets sets(net);
    std::vector<std::set<std::uint32_t>> expected(net.groups.size());
    CounterRandom random(1, 0);
    for (int round = 0; round < 20'000; ++round) {
        const std::uint32_t group = random.below(static_cast<std::uint32_t>(net.groups.size()));
        const std::uint32_t slot = random.below(static_cast<std::uint32_t>(net.groups[group].members.size()));
        if (expected[group].insert(slot).second) {
            sets.insert({group, slot});
        } else {
            expected[group].erase(slot);
            sets.erase({group, slot});
        }
        if (round % 100 != 0) continue;
        CAPTURE(round, group);
        REQUIRE(sets.count(group) == expected[group].size());
        std::uint32_t rank = 0;
        for (const std::uint32_t member : expected[group]) REQUIRE(sets.select(group, rank++) == member);
        std::vector<std::uint32_t> visited;
        sets.for_each(group, [&](std::uint32_t member) { visited.push_back(member); });
        REQUIRE(visited == std::vector(expected[group].begin(), expected[group].end()));
    }
}
