// Runs that are periodic except for places that drift. They are compared with the reference, in one piece and
// in several, also if the periods begin and end with different numbers of tokens. Some runs are too long to
// be executed.

#include "engine/executors/pivots/recurrence.hpp"

#include "engine/net/net_builder.hpp"
#include "netgen/blocks/blocks.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/executor_checks.hpp"
#include "tests/support/sample_nets.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// Rings with one token each, which test the tokens of counters and change them. A counter gives tokens to at
/// most one ring, so that there are no choices.
class DriftingNet {
  public:
    explicit DriftingNet(std::uint64_t seed) : random_(seed, 46) {
        for (std::uint32_t i = 1 + random_.below(4); i > 0; --i)
            counters_.push_back(net_.add_place("counter" + name(), random_.below(400)));
        if (chance(40)) {
            const TransitionId refill = net_.add_transition("refill" + name());
            net_.add_inhibitor(counters_[0], refill, 1 + random_.below(500));
            net_.add_output(refill, counters_[0], 1 + random_.below(3));
        }
        for (std::uint32_t i = 1 + random_.below(3); i > 0; --i) add_ring();
    }

    Net build() { return net_.build(); }

  private:
    bool chance(std::uint32_t percent) { return random_.below(100) < percent; }
    std::string name() { return std::to_string(++names_); }

    void add_ring() {
        const std::uint32_t stations = 2 + random_.below(3), ring = rings_++;
        std::vector<PlaceId> places;
        for (std::uint32_t i = 0; i < stations; ++i)
            places.push_back(net_.add_place("at" + name(), i == 0 ? 1 : 0));
        for (std::uint32_t i = 0; i < stations; ++i) {
            const PlaceId from = places[i], to = places[(i + 1) % stations];
            const TransitionId t = add_transition(from, to, i > 0 && chance(40));
            const std::uint32_t uses = random_.below(3);
            for (std::uint32_t use = 0; use < uses; ++use) change_counter(t, ring);
            if (!chance(30)) continue;
            // A counter decides between this path and a second one.
            const PlaceId counter = counters_[random_.below(static_cast<std::uint32_t>(counters_.size()))];
            const Tokens level = 1 + random_.below(300);
            const TransitionId other = add_transition(from, places[0], false);
            net_.add_inhibitor(counter, t, level);
            net_.add_read(counter, other, level);
            change_counter(other, ring);
        }
    }

    /// The transition moves its token at once or after some steps.
    TransitionId add_transition(PlaceId from, PlaceId to, bool immediate) {
        const TransitionId t = net_.add_transition("t" + name());
        net_.add_input(from, t);
        if (immediate) net_.set_immediate(t);
        if (!immediate && chance(30)) {
            const Tokens steps = 2 + random_.below(5);
            const PlaceId wait = net_.add_place("wait" + name());
            const PlaceId timer = net_.add_place("timer" + name(), steps - 1);
            const TransitionId tick = net_.add_transition("tick" + name());
            const TransitionId done = net_.add_transition("done" + name());
            add_delay_arcs(net_, wait, timer, tick, done, steps);
            net_.add_output(t, wait);
            net_.add_output(done, to);
        } else {
            net_.add_output(t, to);
        }
        return t;
    }

    void change_counter(TransitionId t, std::uint32_t ring) {
        const std::uint32_t i = random_.below(static_cast<std::uint32_t>(counters_.size()));
        const Tokens weight = 1 + random_.below(3);
        if (i % 3 == ring && chance(60)) {
            net_.add_input(counters_[i], t, weight);
            if (chance(30)) net_.add_output(t, counters_[i], 1 + random_.below(3));
        } else {
            net_.add_output(t, counters_[i], weight);
        }
    }
    CounterRandom random_;
    NetBuilder net_;
    std::vector<PlaceId> counters_;
    std::uint32_t names_ = 0, rings_ = 0;
};

Net drifting_net(std::uint64_t seed) { return DriftingNet(seed).build(); }

netgen::TaskSet three_kernels(std::int64_t blocks) {
    netgen::TaskSet tasks;
    tasks.operations = {{.name = "k1", .blocks = blocks, .threads = 512, .time = 4, .stream = 1},
                        {.name = "k2", .blocks = 70, .threads = 256, .time = 6, .stream = 2},
                        {.name = "k3", .blocks = 20, .threads = 512, .time = 6, .release = 3, .stream = 3}};
    return tasks;
}

/// Adds an immediate transition, so that the net is one of pivots.
TransitionId add_never(NetBuilder& builder) {
    const TransitionId never = builder.add_transition("never");
    builder.set_immediate(never);
    builder.add_read(builder.add_place("empty"), never);
    return never;
}

constexpr PlanOptions all_hubs = {.arrays = {.hub_consumers = 1, .group_size = 0}};

}  // namespace

TEST_CASE("recurrence: the reference's runs") {
    for (const PlanOptions& how : {PlanOptions{}, all_hubs}) {
        auto reasons =
            check_all_against_reference({drifting_net, how, ExecutorKind::pivots, 2000}, case_count(200));
        CHECK(reasons[StopReason::dead] >= least_count(20));
        CHECK(reasons[StopReason::step_limit] >= least_count(100));
    }
}

TEST_CASE("recurrence: the same run in one piece or in several, observed or not") {
    for (const PlanOptions& how : {PlanOptions{}, all_hubs}) {
        CHECK(check_all_made_any_way({drifting_net, how, ExecutorKind::pivots, 3000}, case_count(200)) >=
              least_count(100));
    }
}

TEST_CASE("recurrence: kernels of many blocks") {
    const Net net = netgen::blocks_net(three_kernels(3000)).net;
    const Plan pivots = plan(compile(net));
    const Plan general = plan(compile(net), {}, {.parts = in_one_piece, .pivots = false});
    for (const bool keyed : {false, true}) {
        RunOptions options;
        options.keyed = keyed;
        options.count_firings = true;
        REQUIRE(pivots.executor(options) == ExecutorKind::pivots);
        for (const std::uint64_t most : {100U, 1000U, 2999U, 1'000'000U}) {
            options.max_steps = most;
            CHECK(run(pivots, options) == run(general, options));
        }
    }
}

TEST_CASE("recurrence: a period that differs from the next one in a question asked before the change") {
    // The level may have any value, even one that is reached at the end of the measured period. At that time
    // no callback asks for it.
    for (Tokens level = 1; level < 400; ++level) {
        NetBuilder builder;
        const PlaceId sum = builder.add_place("sum"), below = builder.add_place("below");
        const PlaceId rest = builder.add_place("rest"), asked = builder.add_place("asked");
        const PlaceId told = builder.add_place("told", 1);
        const TransitionId low = builder.add_transition("low"), high = builder.add_transition("high");
        builder.add_input(asked, low);
        builder.add_inhibitor(sum, low, level);
        builder.add_output(low, told);
        builder.add_output(low, below);
        builder.add_input(asked, high);
        builder.add_read(sum, high, level);
        builder.add_output(high, told);
        const TransitionId add = builder.add_transition("add"), ask = builder.add_transition("ask");
        builder.add_input(told, add);
        builder.add_output(add, rest);
        builder.add_output(add, sum);
        builder.add_input(rest, ask);
        builder.add_output(ask, asked);
        builder.add_output(add_never(builder), rest);  // so that the ring is no sequence
        RunOptions options;
        options.max_steps = 300'000;
        const RunResult result = run(plan(compile(builder.build())), options);
        CHECK(result.marking[index(sum)] == 100'000);
        CHECK(result.marking[index(below)] == level - 1);
    }
}

TEST_CASE("recurrence: runs that no machine could execute step by step") {
    NetBuilder builder;
    const PlaceId todo = builder.add_place("todo", 3'000'000'000'000), done = builder.add_place("done");
    const PlaceId ready = builder.add_place("ready", 1), busy = builder.add_place("busy");
    const TransitionId begin = builder.add_transition("begin"), end = builder.add_transition("end");
    builder.set_immediate(begin);
    builder.add_input(ready, begin);
    builder.add_input(todo, begin, 3);
    builder.add_output(begin, busy);
    builder.add_input(busy, end);
    builder.add_output(end, ready);
    builder.add_output(end, done, 2);
    const Net net = builder.build();
    RunOptions options;
    options.max_steps = ~std::uint64_t{0};
    options.count_firings = true;
    const RunResult result = run(plan(compile(net)), options);
    CHECK(result.reason == StopReason::dead);
    CHECK(result.steps == 1'000'000'000'000);
    CHECK(result.firings == 2'000'000'000'000);
    CHECK(result.counts == std::vector<std::uint64_t>(2, 1'000'000'000'000));
    CHECK(result.marking == Marking{0, 2'000'000'000'000, 1, 0});

    options.max_steps = 123'456'789'012;
    const RunResult cut = run(plan(compile(net)), options);
    CHECK(cut.reason == StopReason::step_limit);
    CHECK(cut.steps == 123'456'789'012);
    CHECK(cut.marking[index(done)] == 246'913'578'024);
}

TEST_CASE("recurrence: as many firings as can be counted") {
    NetBuilder builder;
    add_never(builder);
    for (const char* const id : {"a", "b", "c"}) {
        const PlaceId ready = builder.add_place(id + std::string("_ready"), 1);
        const PlaceId busy = builder.add_place(id + std::string("_busy"));
        const TransitionId begin = builder.add_transition(id + std::string("_begin"));
        const TransitionId end = builder.add_transition(id + std::string("_end"));
        builder.add_input(ready, begin);
        builder.add_output(begin, busy);
        builder.add_input(busy, end);
        builder.add_output(end, ready);
    }
    const Plan planned = plan(compile(builder.build()));
    RunOptions options;
    options.max_steps = ~std::uint64_t{0} / 3 - 1'000'000;
    const RunResult result = run(planned, options);
    CHECK(result.steps == options.max_steps);
    CHECK(result.firings == 3 * options.max_steps);

    const auto started = planned.begin(options, nullptr);
    CHECK(started->advance(options.max_steps) == StopReason::step_limit);
    CHECK(started->advance(options.max_steps + 2'000) == StopReason::step_limit);
    CHECK(started->finish().firings == 3 * (options.max_steps + 2'000));
}

TEST_CASE("recurrence: tokens overflow in the step in which they would") {
    NetBuilder builder;
    const PlaceId sum = builder.add_place("sum"), ready = builder.add_place("ready", 1);
    const TransitionId t = builder.add_transition("t");
    builder.add_input(ready, t);
    builder.add_output(t, ready);
    builder.add_output(t, sum, 1000);
    add_never(builder);
    RunOptions options;
    options.max_steps = ~std::uint64_t{0};
    const RunResult result = run(plan(compile(builder.build())), options);
    CHECK(result.reason == StopReason::overflow);
    CHECK(result.steps == static_cast<std::uint64_t>(max_tokens / 1000) + 1);
}
