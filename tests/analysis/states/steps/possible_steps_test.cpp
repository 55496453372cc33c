#include "analysis/states/steps/possible_steps.hpp"

#include "engine/compile/compiled_net.hpp"
#include "engine/net/net_builder.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

/// So many pairs of which one transition wins: 2^pairs maximal steps.
CompiledNet pairs_of_rivals(int pairs) {
    NetBuilder net("pairs");
    for (int pair = 0; pair < pairs; ++pair) {
        const PlaceId prize = net.add_place("p" + std::to_string(pair), 1);
        for (const char* rival : {"a", "b"})
            net.add_input(prize, net.add_transition(rival + std::to_string(pair)));
    }
    return compile(net.build());
}

}  // namespace

TEST_CASE("the enumeration of steps asks whether it must end, and then ends at once") {
    const CompiledNet net = pairs_of_rivals(14);
    for (const Semantics semantics : {Semantics::maximal, Semantics::multiset}) {
        std::uint64_t steps = 0, looks = 0;
        const auto count = [&](const ScheduledStep&) {
            ++steps;
            return true;
        };
        CHECK(states::for_each_possible_step(net, net.initial, semantics, count, [&] {
            ++looks;
            return false;
        }));
        CHECK(steps == 1U << 14);
        // A step takes at least one decision.
        CHECK(looks >= steps / states::work_between_looks);

        steps = 0;
        const std::uint64_t most = looks / 2;
        looks = 0;
        std::uint64_t steps_then = 0;
        CHECK_FALSE(states::for_each_possible_step(net, net.initial, semantics, count, [&] {
            steps_then = steps;
            return ++looks == most;
        }));
        CHECK(looks == most);
        CHECK(steps == steps_then);
        CHECK(steps < 1U << 14);
    }
}

TEST_CASE("an enumeration that is ended by its visitor has not been asked to end") {
    const CompiledNet net = pairs_of_rivals(3);
    int steps = 0;
    CHECK(states::for_each_possible_step(
        net, net.initial, Semantics::maximal, [&](const ScheduledStep&) { return ++steps < 2; },
        [] { return true; }));
    CHECK(steps == 2);
}

TEST_CASE("a step of hundreds of thousands of competitors is found, and the next ones in little time") {
    constexpr int pairs = 150'000;
    const CompiledNet net = pairs_of_rivals(pairs);
    for (const Semantics semantics : {Semantics::maximal, Semantics::multiset}) {
        int steps = 0;
        std::uint32_t last_fired = 0;
        CHECK(states::for_each_possible_step(net, net.initial, semantics, [&](const ScheduledStep& step) {
            CHECK(step.transitions.size() == pairs);
            last_fired = step.transitions.back();
            return ++steps < 2;
        }));
        CHECK(last_fired == 2 * pairs - 1);
    }
}

TEST_CASE("work is counted by firings: steps of many are few between two looks") {
    NetBuilder builder("many");
    const PlaceId place = builder.add_place("p", 100'000);
    for (const char* taker : {"a", "b"}) builder.add_input(place, builder.add_transition(taker));
    const CompiledNet net = compile(builder.build());
    int steps = 0;
    CHECK_FALSE(states::for_each_possible_step(
        net, net.initial, Semantics::multiset,
        [&](const ScheduledStep& step) {
            CHECK(step.transitions.size() == 100'000);
            ++steps;
            return true;
        },
        [&] { return steps >= 3; }));
    CHECK(steps == 3);
}
