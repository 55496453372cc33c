#include "analysis/states/explore/explore.hpp"
#include "analysis/states/explore/path_to.hpp"
#include "analysis/states/symmetry/net_symmetry.hpp"
#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/symmetric_net.hpp"

#include <optional>
#include <set>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

constexpr Semantics all_semantics[] = {Semantics::interleaving, Semantics::maximal, Semantics::multiset};

/// n philosophers in a ring, each with a fork between neighbours.
Net philosophers(std::uint32_t count, bool all_at_once) {
    NetBuilder net;
    std::vector<PlaceId> forks;
    for (std::uint32_t i = 0; i < count; ++i) forks.push_back(net.add_place("fork" + std::to_string(i), 1));
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string id = std::to_string(i);
        const PlaceId think = net.add_place("think" + id, 1), eat = net.add_place("eat" + id);
        const PlaceId left = forks[i], right = forks[(i + 1) % count];
        const TransitionId take = net.add_transition("take" + id), put = net.add_transition("put" + id);
        net.add_input(think, take);
        net.add_input(left, take);
        if (all_at_once) {
            net.add_input(right, take);
            net.add_output(take, eat);
        } else {
            const PlaceId has_left = net.add_place("left" + id);
            const TransitionId second = net.add_transition("second" + id);
            net.add_output(take, has_left);
            net.add_input(has_left, second);
            net.add_input(right, second);
            net.add_output(second, eat);
        }
        net.add_input(eat, put);
        net.add_output(put, think);
        net.add_output(put, left);
        net.add_output(put, right);
    }
    return net.build();
}

Net equal_warps(std::uint32_t count, netgen::WarpCounts each, std::uint32_t schedulers = 2) {
    netgen::WarpsSpec spec;
    spec.schedulers = schedulers;
    spec.warps.assign(count, each);
    return netgen::warps_net(spec);
}

std::vector<states::StateId> states_of(const states::StateSpace& space) {
    std::vector<states::StateId> states;
    for (std::uint32_t s = 0; s < states::StateSpace::shard_count; ++s)
        for (std::uint32_t i = 0; i < space.shard(s).size(); ++i)
            states.push_back(states::StateSpace::id(s, i));
    return states;
}

void check_deadlock(const Net& net, const CompiledNet& compiled, const states::ExploreOptions& options,
                    const states::Exploration& some, const states::Exploration& all) {
    REQUIRE(some.deadlock.has_value() == all.deadlock.has_value());
    if (!some.deadlock) return;
    const Schedule path =
        states::path_to(compiled, options.semantics, some.space, *some.deadlock, options.symmetry);
    const RunResult run = replay(compiled, net, path, options.semantics);
    REQUIRE(run.reason == StopReason::dead);
    REQUIRE(path.size() == states::path_to(compiled, options.semantics, all.space, *all.deadlock).size());
    Marking marking = run.marking;
    options.symmetry->make_canonical(marking);
    REQUIRE(marking == some.space.marking(*some.deadlock));
}

/// Every marking; nothing if there are too many markings, or too many firings in a step.
std::optional<states::Exploration> explore_all(const CompiledNet& compiled,
                                               const states::ExploreOptions& options) {
    try {
        states::Exploration all = states::explore(compiled, options);
        if (all.complete()) return all;
    } catch (const InputError&) {
    }
    return std::nullopt;
}

/// Compares with an exploration of every marking. Returns the number of markings, or 0 if there are too many.
std::uint64_t check(const Net& net, const states::NetSymmetry& symmetry, Semantics semantics,
                    std::uint64_t most = 1500) {
    const CompiledNet compiled = compile(net);
    states::ExploreOptions options{.semantics = semantics, .max_states = most};
    const std::optional<states::Exploration> found = explore_all(compiled, options);
    if (!found) return 0;
    const states::Exploration& all = *found;
    options.symmetry = &symmetry;
    const states::Exploration some = states::explore(compiled, options);
    REQUIRE(some.complete());
    std::set<Marking> classes;
    bool once_is_enough = true;
    for (const states::StateId state : states_of(all.space)) {
        Marking marking = all.space.marking(state);
        symmetry.make_canonical(marking);
        const Marking once = marking;
        symmetry.make_canonical(marking);
        once_is_enough = once_is_enough && marking == once;
        classes.insert(marking);
    }
    REQUIRE(once_is_enough);
    std::set<Marking> kept;
    for (const states::StateId state : states_of(some.space)) kept.insert(some.space.marking(state));
    REQUIRE(some.space.size() == kept.size());
    REQUIRE(kept == classes);
    REQUIRE(some.markings == all.space.size());
    REQUIRE(all.markings == all.space.size());
    REQUIRE(some.edges == all.edges);
    REQUIRE(some.deadlocks == all.deadlocks);
    REQUIRE(some.depth == all.depth);
    REQUIRE(some.bounds == all.bounds);
    REQUIRE(some.most_tokens == all.most_tokens);
    REQUIRE(some.fired == all.fired);
    check_deadlock(net, compiled, options, some, all);
    return some.markings;
}

}  // namespace

TEST_CASE("symmetry: the same figures as of every marking, on nets with equal parts") {
    std::uint64_t compared = 0, symmetric = 0, nested = 0, groups = 0;
    for (std::uint64_t seed = 1; seed <= case_count(1000); ++seed) {
        const Net net = SymmetricNet(seed).build();
        const states::NetSymmetry symmetry = states::find_symmetry(net);
        if (!symmetry.trivial()) ++symmetric;
        for (const states::NetSymmetry::Factor& factor : symmetry.factors()) {
            if (!factor.inner.empty()) ++nested;
            if (factor.parts == 1) ++groups;
        }
        for (const Semantics semantics : all_semantics) {
            INFO("seed " << seed << ", " << to_string(semantics) << ": " << symmetry.description());
            if (check(net, symmetry, semantics) > 0) ++compared;
        }
    }
    CAPTURE(compared, symmetric, nested, groups);
    CHECK(compared >= least_count(2400));
    CHECK(symmetric >= least_count(760));
    CHECK(nested >= least_count(130));
    CHECK(groups >= least_count(60));
}

TEST_CASE("symmetry: warps and philosophers") {
    const Net warps = equal_warps(3, {1, 1, 0});
    const states::NetSymmetry of_warps = states::find_symmetry(warps);
    CHECK(of_warps.order() == 6);
    CHECK(of_warps.description() == "3 equal parts of 18 places");
    for (const Semantics semantics : {Semantics::interleaving, Semantics::maximal})
        CHECK(check(warps, of_warps, semantics, 100'000) > 0);
    for (const bool all_at_once : {true, false}) {
        const Net ring = philosophers(7, all_at_once);
        const states::NetSymmetry of_ring = states::find_symmetry(ring);
        CHECK(of_ring.order() == (all_at_once ? 14 : 7));
        for (const Semantics semantics : all_semantics) CHECK(check(ring, of_ring, semantics, 100'000) > 0);
    }
}

TEST_CASE("symmetry: of a group that is too large a part is used") {
    const Net ring = philosophers(6, true);
    const states::NetSymmetry part = states::find_symmetry(ring, {.most_elements = 5});
    CHECK(part.order() == 2);
    for (const Semantics semantics : all_semantics) CHECK(check(ring, part, semantics) > 0);
}

TEST_CASE("symmetry: conditions keep apart what they tell apart") {
    const Net warps = equal_warps(4, {1, 1, 0});
    const auto tokens = [](std::vector<std::uint32_t> places) {
        LinearSum sum;
        for (const std::uint32_t place : places) sum.tokens.push_back({place, 1});
        return sum;
    };
    const states::NetSymmetry free = states::find_symmetry(warps);
    REQUIRE(free.order() == 24);
    const NodeIndex index(warps);
    std::vector<std::uint32_t> ready;
    for (const char* id : {"w1_ready", "w2_ready", "w3_ready", "w4_ready"})
        ready.push_back(static_cast<std::uint32_t>(*index.place(id)));
    const Formula one = comparison(tokens({ready[0]}), Relation::greater);
    const Formula all = comparison(tokens(ready), Relation::greater);
    const Formula pairs = disjunction({comparison(tokens({ready[0], ready[1]}), Relation::greater),
                                       comparison(tokens({ready[2], ready[3]}), Relation::greater)});
    CHECK(states::find_symmetry(warps, {.conditions = {one}}).order() == 6);
    CHECK(states::find_symmetry(warps, {.conditions = {all}}).order() == 24);
    CHECK(states::find_symmetry(warps, {.conditions = {pairs}}).order() == 8);
    CHECK(
        states::find_symmetry(warps, {.conditions = {one, comparison(tokens({ready[1]}), Relation::greater)}})
            .order() == 2);
    CHECK(states::find_symmetry(warps, {.sums = {tokens({ready[0], ready[1]})}}).order() == 4);
    CHECK(states::find_symmetry(warps,
                                {.transitions = {static_cast<std::uint32_t>(*index.transition("w2_issue"))}})
              .order() == 6);
}
