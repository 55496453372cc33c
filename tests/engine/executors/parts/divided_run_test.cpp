// Huge divided nets, compared with the reference and the general executor.

#include "engine/executors/parts/divided_net.hpp"
#include "engine/executors/plain/run.hpp"
#include "engine/formula/condition.hpp"
#include "engine/run/replay.hpp"
#include "engine/run_many.hpp"
#include "tests/support/allocated_bytes.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/executor_checks.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/sample_nets.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

constexpr CompileOptions few_consumers = {.hub_consumers = 3, .group_size = 1};
/// Parts of only a few transitions.
constexpr PlanOptions divided = {
    .arrays = few_consumers,
    .modules = false,
    .parts = {.large_net = 0xffffffff, .small_part = 0, .huge_net = 6, .most_sent = 100}};
constexpr PlanOptions whole_net = {
    .arrays = few_consumers, .modules = false, .parts = in_one_piece, .pivots = false};

/// A row of small nets that pass tokens to the next net and test places of further nets.
Net random_chain(std::uint64_t seed) {
    CounterRandom random(seed, 7);
    NetBuilder builder;
    std::vector<PlaceId> entries, delays;
    const std::uint32_t links = 5 + random.below(6);
    const auto chance = [&](std::uint32_t percent) { return random.below(100) < percent; };
    for (std::uint32_t i = 0; i < links; ++i) {
        const std::string id = "c" + std::to_string(i) + "_";
        entries.push_back(builder.add_place(id + "entry", chance(60) ? 1 + random.below(3) : 0));
        const Tokens length = 2 + random.below(5);
        delays.push_back(builder.add_place(id + "wait"));
        const PlaceId timer = builder.add_place(id + "timer", length - 1);
        const TransitionId tick = builder.add_transition(id + "tick"),
                           done = builder.add_transition(id + "done");
        add_delay_arcs(builder, delays[i], timer, tick, done, length);
        if (chance(70)) builder.add_output(done, entries[random.below(i + 1)]);
    }
    const auto any = [&](const std::vector<PlaceId>& places) {
        return places[random.below(static_cast<std::uint32_t>(places.size()))];
    };
    for (std::uint32_t i = 0; i < links; ++i) {
        const std::string id = "c" + std::to_string(i) + "_";
        const PlaceId own = builder.add_place(id + "own", random.below(3));
        for (std::uint32_t t = 2 + random.below(3); t > 0; --t) {
            const TransitionId move = builder.add_transition(id + "move" + std::to_string(t));
            builder.add_input(entries[i], move, chance(20) ? 2 : 1);
            if (chance(30)) builder.add_input(own, move);
            builder.add_output(move, chance(50) ? own : delays[i]);
            if (chance(60)) builder.add_output(move, entries[(i + 1) % links], chance(10) ? 2 : 1);
            if (chance(10)) builder.add_output(move, any(delays));
            if (chance(15)) builder.add_inhibitor(any(entries), move, 1 + random.below(3));
            if (chance(10)) builder.add_read(any(entries), move);
            if (chance(5)) builder.add_inhibitor(any(delays), move);
        }
        if (chance(15)) {  // changes nothing
            const TransitionId idle = builder.add_transition(id + "idle");
            builder.add_input(own, idle);
            builder.add_output(idle, own);
            if (chance(60)) builder.add_inhibitor(any(entries), idle, 2);
        }
    }
    return builder.build();
}

const ExecutorCases cases = {random_chain, divided, ExecutorKind::divided, 150};

struct LastStep final : Observer {
    std::uint64_t last = 0;
    void step(std::uint64_t number, bool, std::span<const Firing>, std::span<const Tokens>) override {
        last = number;
    }
};

}  // namespace

TEST_CASE("divided nets: the reference's runs under keyed and deterministic policies") {
    auto reasons = check_all_against_reference(cases, case_count(1000));
    CHECK(reasons[StopReason::dead] >= least_count(200));
    CHECK(reasons[StopReason::step_limit] >= least_count(200));
}

TEST_CASE(
    "divided nets: the same run on any number of threads, observed or not, in one piece or in several") {
    CHECK(check_all_made_any_way(cases, case_count(300)) >= least_count(100));
}

TEST_CASE("divided nets: undivided, they run the same observed or not") {
    for (std::uint64_t seed = 0; seed < case_count(300); ++seed) {
        const RunOptions options = options_for(seed, cases.most_steps);
        const Plan whole = plan_for(random_chain(seed), whole_net);
        CAPTURE(seed);
        ScheduleRecorder general;
        CHECK(run(whole, options, &general) == run(whole, options));
    }
}

TEST_CASE("divided nets: random runs are distributed like those of the general executor") {
    CHECK(check_all_distributed(cases, whole_net, case_count(100), 30, 500) >= least_count(15));
}

TEST_CASE("divided nets: found by themselves in a large net of one piece, and few arcs cross their borders") {
    const Net net = station_net(2500);
    const Plan planned = plan(compile(net));
    RunOptions options;
    options.keyed = true;
    options.max_steps = 25;
    REQUIRE(planned.executor(options) == ExecutorKind::divided);
    const auto divided_net = divide_net(planned.net(), {}, {});
    std::size_t sent = 0;
    for (const BorderedPart& part : divided_net->parts) {
        sent += part.sent.all().size();
        CHECK(part.nodes.transitions.size() <= 1000);
    }
    CHECK(divided_net->parts.size() >= 20);
    CHECK(sent * 20 < planned.net().effects.all().size());
    const RunResult expected = plain_run(planned.net(), options);
    for (const int threads : {1, 2, 4, 8})
        CHECK(same_run(on_threads(threads, [&] { return run(planned, options); }), expected));
}

TEST_CASE("divided nets: joined again, the parts are the net that was divided") {
    std::size_t divided_nets = 0;
    for (std::uint64_t seed = 0; seed < case_count(300); ++seed) {
        CAPTURE(seed);
        const CompiledNet compiled =
            compile(random_chain(seed), seed % 2 == 0 ? few_consumers : CompileOptions{});
        if (plan(compiled, {}, divided).executor() != ExecutorKind::divided) continue;
        ++divided_nets;
        CHECK(join_parts(*divide_net(compiled, divided.parts, divided.arrays)) == compiled);
    }
    CHECK(divided_nets >= least_count(100));
}

TEST_CASE("divided nets: a common priority and places without arcs are joined, too") {
    NetBuilder builder;
    for (int i = 0; i < 20; ++i) {
        const std::string number = std::to_string(i);
        const PlaceId from = builder.add_place("from" + number, 1), to = builder.add_place("to" + number);
        const TransitionId move = builder.add_transition("move" + number);
        builder.set_priority(move, 3);
        builder.add_input(from, move);
        builder.add_output(move, to, 2);
        builder.add_place("alone" + number, i);
    }
    const CompiledNet compiled = compile(builder.build());
    REQUIRE(plan(compiled, {}, divided).executor() == ExecutorKind::divided);
    CHECK(join_parts(*divide_net(compiled, divided.parts, divided.arrays)) == compiled);
}

TEST_CASE("divided nets: held once, in at most 150 bytes per transition, and run with any options") {
    const Net net = station_net(2500);
    const CompiledNet compiled = compile(net);
    const std::size_t bytes_before = allocated_bytes();
    const Plan planned = plan(compile(net));
    CHECK(allocated_bytes() - bytes_before <= 150 * compiled.transition_count());
    CHECK(planned.executor() == ExecutorKind::divided);
    const Plan borrowed = plan(compiled);
    CHECK(&borrowed.net() == &compiled);
    const auto given_up = divide_net(compile(net), {}, {}), kept = divide_net(compiled, {}, {});
    CHECK(join_parts(*given_up) == join_parts(*kept));
    CHECK(divided_bytes(*given_up) <= 150 * compiled.transition_count());
    const Plan whole = plan(compile(net), {}, {.parts = {.most_sent = 0}});  // considered, but not divided
    CHECK(whole.executor() != ExecutorKind::divided);
    CHECK(whole.net() == compiled);

    RunOptions options;
    options.max_steps = 20;
    options.count_firings = true;
    const RunResult before = run(planned, options);
    for (const Semantics semantics : {Semantics::interleaving, Semantics::multiset}) {
        RunOptions other = options;
        other.semantics = semantics;
        CHECK(run(planned, other) == run(borrowed, other));
    }
    RunOptions other = options;
    other.policy = Policy::round_robin;
    CHECK(run(planned, other) == run(borrowed, other));
    const Condition until = parse_condition("queue7 >= 3", net);
    other = options;
    other.until = &until;
    CHECK(planned.executor(other) == ExecutorKind::general);
    CHECK(run(planned, other) == run(borrowed, other));
    CHECK(planned.net() == compiled);
    CHECK(run(planned, options) == before);
    CHECK(run(compile(net), options) == before);
    LastStep observer;
    CHECK(run(compile(net), options, &observer) == before);
    CHECK(observer.last == before.steps);
}

TEST_CASE("divided nets: many threads ask for the whole of one at once") {
    const Net net = station_net(2500);
    const CompiledNet compiled = compile(net);
    const Plan planned = plan(compile(net)), borrowed = plan(compiled);
    REQUIRE(planned.executor() == ExecutorKind::divided);
    NodeTally tally(compiled), expected(compiled);
    ManyOptions many;
    many.run.max_steps = 5;
    many.runs = 16;
    many.threads = 8;
    many.tally = &tally;
    const auto results = run_many(planned, many);
    many.tally = &expected;
    CHECK(run_many(borrowed, many) == results);
    CHECK(tally.words() == expected.words());
}

TEST_CASE("divided nets: none if conflicts reach across the net") {
    NetBuilder builder;
    PlaceId before = builder.add_place("fork0", 1);
    for (std::uint32_t i = 1; i <= 100; ++i) {
        const PlaceId fork = builder.add_place("fork" + std::to_string(i), 1);
        const TransitionId eat = builder.add_transition("eat" + std::to_string(i));
        builder.add_input(before, eat);
        builder.add_input(fork, eat);
        before = fork;
    }
    CHECK(plan_for(builder.build(), divided).executor() != ExecutorKind::divided);
}
