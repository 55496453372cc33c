// One exploration divided among ranks, which are threads here, compared with the undivided exploration.

#include "analysis/ranks/collectives.hpp"
#include "analysis/states/explore/explore.hpp"
#include "analysis/states/explore/path_to.hpp"
#include "analysis/states/symmetry/net_symmetry.hpp"
#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/symmetric_net.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// The figures of an exploration, and every marking by its number, with its parent.
struct Found {
    std::string figures;
    std::map<states::StateId, std::pair<Marking, states::StateId>> markings = {};
    bool dead = false;
    bool operator==(const Found&) const = default;

    void add(const states::Exploration& explored) {
        for (std::uint32_t s = 0; s < states::StateSpace::shard_count; ++s) {
            for (std::uint32_t i = 0; i < explored.space.shard(s).size(); ++i) {
                const states::StateId state = states::StateSpace::id(s, i);
                markings[state] = {explored.space.marking(state), explored.space.parent(state)};
            }
        }
    }
};

std::string figures_of(const states::Exploration& explored) {
    std::string text(to_string(explored.stop));
    const auto add = [&](std::uint64_t number) { text += " " + std::to_string(number); };
    for (const std::uint64_t number :
         {explored.markings, explored.edges, explored.deadlocks, explored.space_markings,
          explored.space_edges, explored.depth, explored.most_tokens})
        add(number);
    for (const Tokens bound : explored.bounds) add(static_cast<std::uint64_t>(bound));
    for (const std::uint8_t fired : explored.fired) add(fired);
    add(static_cast<std::uint64_t>(explored.initial));
    if (explored.deadlock) add(static_cast<std::uint64_t>(*explored.deadlock));
    for (const std::uint8_t bits : explored.space.layout().bits()) add(bits);
    return text;
}

Found alone(const CompiledNet& net, const states::ExploreOptions& options) {
    const states::Exploration explored = states::explore(net, options);
    Found found{figures_of(explored)};
    found.dead = explored.deadlock.has_value();
    found.add(explored);
    return found;
}

/// Throws the exception of rank 0. Every rank must have the same figures.
Found divided(int size, const CompiledNet& net, const states::ExploreOptions& options) {
    std::mutex mutex;
    std::vector<std::string> figures;
    Found found;
    TeamOfThreads::run(size, [&](ranks::Team& team) {
        ranks::Collectives ranks(team);
        states::ExploreOptions own = options;
        own.ranks = &ranks;
        const states::Exploration explored = states::explore(net, own);
        const std::lock_guard lock(mutex);
        figures.push_back(figures_of(explored));
        found.dead = explored.deadlock.has_value();
        found.add(explored);
    });
    REQUIRE(figures.size() == static_cast<std::size_t>(size));
    for (const std::string& of_rank : figures) REQUIRE(of_rank == figures.front());
    found.figures = figures.front();
    return found;
}

/// Two places that can hold 40 tokens but seldom hold many in a random run, and `others` further places.
CompiledNet counters(std::uint32_t others) {
    NetBuilder builder;
    for (std::uint32_t i = 0; i < others; ++i) builder.add_place("other" + std::to_string(i), 9);
    for (std::uint32_t c = 0; c < 2; ++c) {
        const PlaceId place = builder.add_place("p" + std::to_string(c));
        const TransitionId up = builder.add_transition("up" + std::to_string(c));
        builder.add_inhibitor(place, up, 40);
        builder.add_output(up, place);
        for (int d = 0; d < 12; ++d) {
            const TransitionId down =
                builder.add_transition("down" + std::to_string(c) + "_" + std::to_string(d));
            builder.add_input(place, down);
        }
    }
    return compile(builder.build());
}

}  // namespace

TEST_CASE("divided among ranks, random nets have the same markings, numbers, parents and figures") {
    const Semantics semantics = GENERATE(Semantics::interleaving, Semantics::maximal, Semantics::multiset);
    std::size_t cut = 0, dead = 0, alike = 0, refused = 0;
    for (std::uint64_t seed = 1; seed <= case_count(32); ++seed) {
        const Net net =
            seed % 4 == 0 ? SymmetricNet(seed).build() : random_net(seed, small_net_options(semantics, 6, 8));
        const CompiledNet compiled = compile(net);
        states::ExploreOptions options{.semantics = semantics, .max_states = 1 + seed * 37 % 900};
        if (seed % 3 == 0) options.form = states::StateSpace::Form::trees;
        states::NetSymmetry symmetry;
        if (seed % 4 == 0) symmetry = states::find_symmetry(net);
        if (!symmetry.trivial()) options.symmetry = &symmetry;
        const int size = 1 + static_cast<int>(seed / 4 % 4);
        CAPTURE(seed, size);
        Found one;
        try {
            one = alone(compiled, options);
        } catch (const InputError&) {  // a step with too many firings
            REQUIRE_THROWS_AS(divided(size, compiled, options), InputError);
            ++refused;
            continue;
        }
        REQUIRE(divided(size, compiled, options) == one);
        cut += one.figures.starts_with("state limit") ? 1U : 0U;
        dead += one.dead ? 1U : 0U;
        alike += options.symmetry != nullptr ? 1U : 0U;
    }
    CHECK(cut >= least_count(3));
    CHECK(dead >= least_count(5));
    CHECK(alike >= least_count(3));
    CHECK(refused < 5);
}

TEST_CASE("divided among ranks, fields grow, and wide markings become trees") {
    const CompiledNet net = counters(GENERATE(0U, 200U));
    const bool trees = GENERATE(false, true);
    states::ExploreOptions options{.max_states = 3000};
    if (trees) options.form = states::StateSpace::Form::trees;
    const Found one = alone(net, options);
    const states::Exploration first = states::explore(net, {.max_states = 1});
    const states::Exploration last = states::explore(net, options);
    REQUIRE(last.space.layout().bits().back() > first.space.layout().bits().back());
    REQUIRE(last.space.in_trees() == (trees && last.space.layout().words() > 4));
    for (const int size : {2, 3, 4}) REQUIRE(divided(size, net, options) == one);
}

TEST_CASE("divided among ranks, thousands of markings are still numbered alike") {
    netgen::WarpsSpec spec;
    spec.warps.assign(2, {2, 2, 2});
    spec.global_latency = 3;
    const CompiledNet net = compile(netgen::warps_net(spec));
    for (const std::uint64_t most : {std::uint64_t{20'000}, std::uint64_t{1} << 32}) {
        const states::ExploreOptions options{.max_states = most};
        const Found one = alone(net, options);
        REQUIRE(one.markings.size() >= least_count(20'000));
        for (const int size : {2, 3}) REQUIRE(divided(size, net, options) == one);
    }
}

TEST_CASE("a limit that one rank reaches ends all, and no marking was seen that is not there") {
    netgen::WarpsSpec spec;
    spec.warps.assign(3, {3, 3, 3});
    const CompiledNet net = compile(netgen::warps_net(spec));
    const int limited = GENERATE(0, 2);
    const WorkEnd expected = GENERATE(WorkEnd::interrupted, WorkEnd::time_limit, WorkEnd::memory_limit);
    const std::atomic<bool> interrupt = true;
    TeamOfThreads::run(3, [&](ranks::Team& team) {
        ranks::Collectives ranks(team);
        states::ExploreOptions options{.max_states = 100'000, .ranks = &ranks};
        if (team.rank() == limited) {
            if (expected == WorkEnd::interrupted) options.limits.interrupt = &interrupt;
            if (expected == WorkEnd::time_limit) options.limits.deadline = std::chrono::steady_clock::now();
            if (expected == WorkEnd::memory_limit) options.limits.memory = 1 << 16;
        }
        const states::Exploration explored = states::explore(net, options);
        CHECK(explored.stop == expected);
        CHECK(explored.space_markings < 100'000);
    });
}
