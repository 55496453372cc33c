#include "analysis/states/explore/explore.hpp"
#include "analysis/states/explore/path_to.hpp"
#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/random_net.hpp"

#include <optional>
#include <string>

#include <catch2/catch.hpp>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

CompiledNet growing_net() {
    NetBuilder builder;
    const PlaceId p = builder.add_place("p", 1);
    const TransitionId grow = builder.add_transition("grow");
    builder.add_read(p, grow);
    builder.add_output(grow, p, 3);
    return compile(builder.build());
}

CompiledNet warps(std::uint32_t count, Tokens each) {
    netgen::WarpsSpec spec;
    spec.warps.assign(count, {each, each, each});
    spec.global_latency = 3;
    return compile(netgen::warps_net(spec));
}

/// All comparable results of an exploration, as a text.
std::string fingerprint(const CompiledNet& net, const states::ExploreOptions& options, int threads) {
    const tbb::global_control allow(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(threads));
    tbb::task_arena arena(threads);
    return arena.execute([&] {
        const states::Exploration explored = states::explore(net, options);
        std::string text = std::string(to_string(explored.stop)) + " " + std::to_string(explored.edges) +
                           " " + std::to_string(explored.deadlocks) + " " + std::to_string(explored.depth) +
                           " " + std::to_string(explored.most_tokens);
        for (std::uint32_t s = 0; s < states::StateSpace::shard_count; ++s) {
            const states::StateShard& shard = explored.space.shard(s);
            std::uint64_t hash = shard.size();
            for (std::uint32_t i = 0; i < shard.size(); ++i)
                hash = hash_bits(hash, hash_bits(shard[i][0], shard.parent(i)));
            text += " " + std::to_string(hash);
        }
        if (explored.deadlock)
            for (const ScheduledStep& step :
                 states::path_to(net, options.semantics, explored.space, *explored.deadlock))
                for (const std::uint32_t t : step.transitions) text += " " + std::to_string(t);
        return text;
    });
}

}  // namespace

TEST_CASE("an exploration is the same on any number of threads, limits included") {
    for (const Semantics semantics : {Semantics::interleaving, Semantics::maximal}) {
        for (const std::uint64_t max_states : {std::uint64_t{20'000}, std::uint64_t{1} << 32}) {
            const CompiledNet net = warps(2, 2);
            states::ExploreOptions options{.semantics = semantics, .max_states = max_states};
            const std::string one = fingerprint(net, options, 1);
            CHECK(fingerprint(net, options, 2) == one);
            CHECK(fingerprint(net, options, 5) == one);
            options.limits.effort = 3'000;
            const std::string part = fingerprint(net, options, 1);
            CHECK(part.starts_with(to_string(WorkEnd::effort_limit)));
            CHECK(fingerprint(net, options, 5) == part);
        }
    }
}

TEST_CASE("markings that are packed again count as effort") {
    // One place after the other fills up. If places start full, the fields are wide from the start.
    const auto places_in_turn = [](Tokens full) {
        NetBuilder builder;
        std::optional<PlaceId> before;
        for (int i = 0; i < 12; ++i) {
            const std::string name = std::to_string(i);
            const PlaceId from = builder.add_place("a" + name, 500), to = builder.add_place("b" + name, full);
            const TransitionId move = builder.add_transition("t" + name);
            builder.add_input(from, move);
            builder.add_output(move, to);
            if (before) builder.add_inhibitor(*before, move);
            before = from;
        }
        return compile(builder.build());
    };
    states::ExploreOptions options;
    options.limits.effort = 3'000'000;
    CHECK(states::explore(places_in_turn(600), options).complete());
    CHECK(states::explore(places_in_turn(0), options).stop == WorkEnd::effort_limit);
    options.limits.effort *= 2;
    CHECK(states::explore(places_in_turn(0), options).complete());
}

TEST_CASE("a limit that was hit is reported, and the figures until then are right") {
    const CompiledNet net = warps(3, 3);
    const states::Exploration few = states::explore(net, {.max_states = 5000});
    CHECK(few.stop == WorkEnd::state_limit);
    CHECK(few.space.size() == 5000);
    const states::Exploration small = states::explore(net, {.limits = {.memory = 1 << 20}});
    CHECK(small.stop == WorkEnd::memory_limit);
    const states::Exploration late =
        states::explore(net, {.limits = {.deadline = std::chrono::steady_clock::now()}});
    CHECK(late.stop == WorkEnd::time_limit);
    CHECK(late.space.size() == 1);
    const std::atomic<bool> interrupt = true;
    CHECK(states::explore(net, {.limits = {.interrupt = &interrupt}}).stop == WorkEnd::interrupted);
}

TEST_CASE("an exploration that needs all markings it may keep is complete") {
    for (const Semantics semantics : {Semantics::interleaving, Semantics::maximal}) {
        const CompiledNet net = warps(2, 1);
        const states::Exploration all = states::explore(net, {.semantics = semantics});
        const std::uint64_t states = all.space.size();
        const states::Exploration enough =
            states::explore(net, {.semantics = semantics, .max_states = states});
        CHECK(enough.complete());
        CHECK(enough.edges == all.edges);
        for (const std::uint64_t most : {std::uint64_t{1}, states / 3, states - 1}) {
            const states::Exploration part =
                states::explore(net, {.semantics = semantics, .max_states = most});
            CHECK(part.stop == WorkEnd::state_limit);
            CHECK(part.space.size() == most);
        }
    }
}

TEST_CASE("fields grow with the tokens they hold") {
    const states::Exploration explored = states::explore(growing_net(), {.max_states = 100'000});
    CHECK(explored.stop == WorkEnd::state_limit);
    CHECK(explored.bounds == Marking{1 + 3 * 99'999});
    CHECK(explored.edges == 100'000);
}

TEST_CASE("a place that would hold too many tokens is an overflow") {
    NetBuilder builder;
    const PlaceId p = builder.add_place("p", max_tokens - 5);
    const TransitionId grow = builder.add_transition("grow");
    builder.add_input(p, grow);
    builder.add_output(grow, p, 3);
    for (const Semantics semantics : {Semantics::interleaving, Semantics::maximal}) {
        NetBuilder copy = builder;
        const states::Exploration explored = states::explore(compile(copy.build()), {.semantics = semantics});
        CHECK(explored.stop == WorkEnd::overflow);
        CHECK(explored.space.size() == 3);
        CHECK(explored.bounds == Marking{max_tokens - 1});
    }
}

TEST_CASE("nets without places or transitions have one state") {
    CHECK(states::explore(compile(NetBuilder().build())).space.size() == 1);
    NetBuilder builder;
    builder.add_transition("t");
    const states::Exploration loop = states::explore(compile(builder.build()));
    CHECK(loop.space.size() == 1);
    CHECK(loop.edges == 1);
    CHECK(loop.deadlocks == 0);
}

TEST_CASE("multiset steps without a bound are refused") {
    NetBuilder builder;
    builder.add_place("p", 5'000'000'000);
    const Net none = NetBuilder(builder).build();
    CHECK(states::explore(compile(none), {.semantics = Semantics::multiset}).space.size() == 1);
    const TransitionId take = builder.add_transition("take");
    builder.add_input(PlaceId(0), take);
    CHECK_THROWS_AS(states::explore(compile(NetBuilder(builder).build()), {.semantics = Semantics::multiset}),
                    InputError);
    builder.add_transition("source");
    CHECK_THROWS_AS(states::explore(compile(builder.build()), {.semantics = Semantics::multiset}),
                    InputError);
}
