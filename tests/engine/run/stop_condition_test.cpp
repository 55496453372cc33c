// A run that ends when a condition holds: every executor ends at the same step as the reference, even if it
// skips steps.

#include "engine/executors/plain/run.hpp"
#include "engine/formula/condition.hpp"
#include "engine/net/net_builder.hpp"
#include "engine/plan.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_module_net.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/reference_run.hpp"
#include "tests/support/sample_nets.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <rapidcheck/catch.h>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// A condition, and the same as a function without common code.
struct Judged {
    Formula condition;
    ReferenceCondition holds;
};

/// The meaning of a sum compared with 0, term by term.
ReferenceCondition meaning_of(const LinearSum& sum, Relation relation) {
    return [sum, relation](const Marking& marking, const std::vector<std::uint64_t>& counts) {
        std::int64_t value = sum.constant;
        for (const auto& term : sum.tokens) value += term.coefficient * marking.at(term.node);
        for (const auto& term : sum.firings)
            value += term.coefficient * static_cast<std::int64_t>(counts.at(term.node));
        const int sign = value < 0 ? -1 : value > 0 ? 1 : 0;
        switch (relation) {
            case Relation::equal:
                return sign == 0;
            case Relation::not_equal:
                return sign != 0;
            case Relation::less:
                return sign == -1;
            case Relation::less_equal:
                return sign != 1;
            case Relation::greater:
                return sign == 1;
            case Relation::greater_equal:
                return sign != -1;
        }
        return false;
    };
}

/// A sum of one to three nodes of the net, compared with a small number.
Judged random_comparison(const Net& net, CounterRandom& random) {
    LinearSum sum;
    for (std::uint32_t terms = 1 + random.below(3); terms > 0; --terms) {
        const std::int64_t coefficient = random.below(4) == 0 ? -1 : std::int64_t{1} + random.below(2);
        if (random.below(3) > 0) {
            sum.tokens.push_back(
                {random.below(static_cast<std::uint32_t>(net.places().size())), coefficient});
        } else {
            sum.firings.push_back(
                {random.below(static_cast<std::uint32_t>(net.transitions().size())), coefficient});
        }
    }
    sum.constant = -static_cast<std::int64_t>(random.below(7));
    const auto relation = static_cast<Relation>(random.below(6));
    return {comparison(sum, relation), meaning_of(sum, relation)};
}

Judged random_condition(const Net& net, CounterRandom& random) {
    Judged judged = random_comparison(net, random);
    for (std::uint32_t more = random.below(3); more > 0; --more) {
        Judged other = random_comparison(net, random);
        if (random.below(4) == 0) {
            other.condition = negation(std::move(other.condition));
            other.holds = [holds = other.holds](const auto& marking, const auto& counts) {
                return !holds(marking, counts);
            };
        }
        const bool both = random.below(3) > 0;
        judged.condition = both ? conjunction({std::move(judged.condition), std::move(other.condition)})
                                : disjunction({std::move(judged.condition), std::move(other.condition)});
        judged.holds = [both, a = judged.holds, b = other.holds](const auto& marking, const auto& counts) {
            return both ? a(marking, counts) && b(marking, counts) : a(marking, counts) || b(marking, counts);
        };
    }
    return judged;
}

void expect_same(const RunResult& expected, const RunResult& actual, bool counts) {
    RC_ASSERT(actual.reason == expected.reason);
    RC_ASSERT(actual.steps == expected.steps);
    RC_ASSERT(actual.firings == expected.firings);
    RC_ASSERT(actual.marking == expected.marking);
    if (counts) {
        RC_ASSERT(actual.counts == expected.counts);
    } else {
        RC_ASSERT(actual.counts.empty());
    }
}

class Ignore : public Observer {
    void step(std::uint64_t, bool, std::span<const Firing>, std::span<const Tokens>) override {}
};

void compare_all(std::uint64_t seed, Semantics semantics) {
    RandomNetOptions net_options;
    net_options.sources = semantics != Semantics::multiset;
    const Net net = random_net(seed, net_options);
    CounterRandom random(seed, 2);
    const Judged judged = random_condition(net, random);
    const PlanOptions how = {.arrays = random.below(2) == 0
                                           ? CompileOptions{}
                                           : CompileOptions{.hub_consumers = 1, .group_size = 0}};
    const CompiledNet compiled = compile(net, how.arrays);
    RunOptions options;
    options.semantics = semantics;
    options.max_steps = semantics == Semantics::multiset ? 5 : 40;
    options.seed = seed;
    options.keyed = true;
    const Condition until(judged.condition, net);
    options.until = &until;
    options.count_firings = random.below(2) == 0;
    for (const Policy policy : {Policy::first, Policy::last, Policy::round_robin, Policy::random}) {
        options.policy = policy;
        const RunResult expected = reference_run(net, options, judged.holds);
        RC_PRE(expected.firings < 100'000);
        RC_CLASSIFY(expected.reason == StopReason::condition && expected.steps > 0, "met on the way");
        expect_same(expected, plain_run(compiled, options), options.count_firings);
        const Plan planned = plan(compiled, options, how);
        expect_same(expected, run(planned, options), options.count_firings);
        Ignore ignore;
        expect_same(expected, run(planned, options, &ignore), options.count_firings);
    }
}

/// A delay of 1000 steps next to a transition that changes nothing.
Net waiting_net() {
    NetBuilder net("waiting");
    const PlaceId wait = net.add_place("wait", 1);
    const PlaceId timer = net.add_place("timer", 999);
    const PlaceId after = net.add_place("after");
    const PlaceId loop = net.add_place("loop", 1);
    const TransitionId tick = net.add_transition("tick");
    const TransitionId done = net.add_transition("done");
    add_delay_arcs(net, wait, timer, tick, done, 1000);
    net.add_output(done, after);
    const TransitionId idle = net.add_transition("idle");
    net.add_input(loop, idle);
    net.add_output(idle, loop);
    return net.build();
}

RunResult run_until(const Net& net, const char* text) {
    const Condition condition = parse_condition(text, net);
    RunOptions options;
    options.until = &condition;
    return run(compile(net), options);
}

}  // namespace

TEST_CASE("every executor ends where the condition first holds") {
    rc::prop("maximal steps", [](std::uint64_t seed) { compare_all(seed, Semantics::maximal); });
    rc::prop("multiset steps", [](std::uint64_t seed) { compare_all(seed, Semantics::multiset); });
    rc::prop("interleaving", [](std::uint64_t seed) { compare_all(seed, Semantics::interleaving); });
}

TEST_CASE("a net of modules ends where the condition first holds, too") {
    std::uint64_t module_nets = 0, met = 0;
    for (std::uint64_t seed = 0; seed < case_count(800); ++seed) {
        const Net net = RandomModuleNet(seed).build();
        const PlanOptions how = {.arrays = {.hub_consumers = 3}};
        const Plan planned = plan(compile(net, how.arrays), {}, how);
        CounterRandom random(seed, 3);
        const Judged judged = random_condition(net, random);
        RunOptions options;
        options.seed = seed;
        options.keyed = true;
        options.max_steps = 100;
        if (planned.why_not_modules(options).empty()) ++module_nets;
        const Condition until(judged.condition, net);
        options.until = &until;
        const RunResult expected = reference_run(net, options, judged.holds);
        const RunResult actual = run(planned, options);
        CAPTURE(seed);
        CHECK(actual.reason == expected.reason);
        CHECK(actual.steps == expected.steps);
        CHECK(actual.marking == expected.marking);
        if (expected.reason == StopReason::condition && expected.steps > 0) ++met;
    }
    CHECK(module_nets >= least_count(100));
    CHECK(met >= least_count(50));
}

TEST_CASE("a condition on what happens while steps are skipped is exact") {
    const Net net = waiting_net();
    REQUIRE(compile(net).gadgets.size() == 1);
    const auto stops_at = [&](const char* text, std::uint64_t steps) {
        CAPTURE(text);
        const RunResult result = run_until(net, text);
        CHECK(result.reason == StopReason::condition);
        CHECK(result.steps == steps);
    };
    stops_at("after = 0", 0);
    stops_at("after = 1", 1000);
    stops_at("wait = 500", 499);
    stops_at("timer < 3", 997);
    stops_at("tick = 7", 7);
    stops_at("done = 1", 1000);
    stops_at("idle >= 123", 123);
    stops_at("idle >= 1200 and after > 0", 1200);
}

TEST_CASE("a condition that can never hold does not cost the steps that are skipped") {
    const RunResult result = run_until(waiting_net(), "after = 2");
    CHECK(result.reason == StopReason::step_limit);
    CHECK(result.endless);
    CHECK(result.steps == RunOptions{}.max_steps);
}

TEST_CASE("a condition is looked at between immediate steps, and before the step limit") {
    NetBuilder builder;
    const PlaceId p = builder.add_place("p", 1);
    const PlaceId q = builder.add_place("q");
    const PlaceId r = builder.add_place("r");
    const TransitionId t = builder.add_transition("t");
    builder.add_input(p, t);
    builder.add_output(t, q);
    const TransitionId now = builder.add_transition("now");
    builder.set_immediate(now);
    builder.add_input(q, now);
    builder.add_output(now, r);
    const Net net = builder.build();
    CHECK(run_until(net, "q = 1").reason == StopReason::condition);
    CHECK(run_until(net, "q = 1").firings == 1);
    CHECK(run_until(net, "r = 1").firings == 2);
    CHECK(run_until(net, "r = 2").reason == StopReason::dead);

    const Condition condition = parse_condition("q = 1", net);
    RunOptions options;
    options.until = &condition;
    options.max_steps = 1;
    CHECK(run(compile(net), options).reason == StopReason::condition);
}
