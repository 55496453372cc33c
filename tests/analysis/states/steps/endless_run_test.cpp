#include "analysis/states/steps/only_run.hpp"
#include "engine/net/net_builder.hpp"
#include "engine/plan.hpp"
#include "engine/run/served_parts.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

/// `before` steps, then a cycle of `length`.
Net ring(std::uint32_t before, std::uint32_t length, bool immediate = false) {
    NetBuilder net("ring");
    std::vector<PlaceId> places;
    for (std::uint32_t p = 0; p < before + length; ++p)
        places.push_back(net.add_place("p" + std::to_string(p), p == 0 ? 1 : 0));
    for (std::uint32_t p = 0; p < before + length; ++p) {
        const TransitionId move = net.add_transition("t" + std::to_string(p));
        if (immediate) net.set_immediate(move);
        net.add_input(places[p], move);
        net.add_output(move, places[p + 1 < before + length ? p + 1 : before]);
    }
    return net.build();
}

states::TriedRun tried(const Net& net, const RunOptions& options = {}) {
    return states::try_to_end(plan(compile(net)), options);
}

}  // namespace

TEST_CASE("an endless run is described by the way to a marking and the steps back to it") {
    for (const bool immediate : {false, true}) {
        for (const std::uint32_t before : {0U, 1U, 5U, 40U}) {
            for (const std::uint32_t length : {1U, 2U, 3U, 17U}) {
                CAPTURE(immediate, before, length);
                const states::TriedRun run = tried(ring(before, length, immediate));
                CHECK(run.endless);
                CHECK(run.prefix.size() == before);
                REQUIRE(run.cycle.size() == length);
                CHECK(run.cycle.front().transitions == std::vector<std::uint32_t>{before});
                CHECK(run.cycle.front().immediate == immediate);
            }
        }
    }
}

TEST_CASE("a run that ends, grows, overflows or stops is not endless for certain") {
    NetBuilder ends("ends");
    ends.add_input(ends.add_place("p", 3), ends.add_transition("t"));
    CHECK(tried(ends.build()).reason == StopReason::dead);

    const auto growing = [](bool immediate, Tokens initial) {
        NetBuilder net("grows");
        const PlaceId p = net.add_place("p", 1), q = net.add_place("q", initial);
        const TransitionId t = net.add_transition("t");
        if (immediate) net.set_immediate(t);
        net.add_input(p, t);
        net.add_output(t, p);
        net.add_output(t, q);
        return net.build();
    };
    RunOptions options;
    options.max_steps = 1'000;
    const states::TriedRun timed = tried(growing(false, 0), options);
    CHECK(timed.reason == StopReason::step_limit);
    CHECK_FALSE(timed.endless);
    CHECK(tried(growing(false, max_tokens - 7), options).reason == StopReason::overflow);
    const states::TriedRun still = tried(growing(true, 0), options);
    CHECK(still.reason == StopReason::immediate_loop);
    CHECK_FALSE(still.endless);
}

TEST_CASE("under a policy that serves parts a run is endless where the executor says so") {
    NetBuilder builder("idle");
    const PlaceId sm = builder.add_place("sm", 1);
    std::vector<PlaceId> begin;
    for (const std::string part : {"a", "b", "c", "d"}) {
        begin.push_back(builder.add_place(part, 1));
        const PlaceId after = builder.add_place(part + "_after");
        const TransitionId take = builder.add_transition(part + "_take"),
                           give = builder.add_transition(part + "_give");
        builder.add_input(begin.back(), take);
        builder.add_input(sm, take);
        builder.add_output(take, after);
        builder.add_input(after, give);
        builder.add_output(give, sm);
    }
    const TransitionId idle = builder.add_transition("idle");
    builder.add_input(sm, idle);
    builder.add_output(idle, sm);
    for (const PlaceId place : begin) builder.add_inhibitor(place, idle);
    const Net net = builder.build();
    const CompiledNet compiled = compile(net);
    const ServedParts served = find_served_parts(compiled);
    RunOptions options;
    options.policy = Policy::gto;
    options.served = &served;
    const states::TriedRun run = states::try_to_end(plan(compiled), options);
    CHECK(run.endless);
    CHECK(run.prefix.size() == 8);
    REQUIRE(run.cycle.size() == 1);
    CHECK(run.cycle.front().transitions == std::vector<std::uint32_t>{8});
}

TEST_CASE("a marking that comes back without a choice in between proves that a run never ends") {
    constexpr std::uint64_t most = 1'000;
    for (const std::uint32_t length : {1U, 2U, 3U, 17U}) {
        CAPTURE(length);
        const auto found = states::repeated_marking(plan(compile(ring(5, length))), {}, most);
        REQUIRE(found);
        CHECK(found->after >= 5);
        CHECK(found->period == length);
        CHECK(found->forever);
    }
    CHECK_FALSE(states::repeated_marking(plan(compile(ring(0, 2, true))), {}, most));  // takes no time
    CHECK_FALSE(states::repeated_marking(plan(compile(ring(0, 40))), {}, 39));

    NetBuilder builder("leaves sometimes");
    const PlaceId here = builder.add_place("here", 1), away = builder.add_place("away");
    const TransitionId stay = builder.add_transition("stay"), leave = builder.add_transition("leave");
    builder.add_input(here, stay);
    builder.add_output(stay, here);
    builder.add_input(here, leave);
    builder.add_output(leave, away);
    const Net net = builder.build();
    const Plan planned = plan(compile(net));
    std::size_t repeated = 0;
    for (std::uint64_t run = 0; run < 20; ++run) {
        const auto found = states::repeated_marking(planned, {.run = run}, most);
        if (!found) continue;
        ++repeated;
        CHECK_FALSE(found->forever);
    }
    CHECK(repeated > 0);
    const auto first = states::repeated_marking(planned, {.policy = Policy::first}, most);
    REQUIRE(first);
    CHECK(first->forever);  // this policy always chooses to stay
}
