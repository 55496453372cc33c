#include "analysis/states/properties/parts.hpp"
#include "engine/net/net_builder.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/reference_exploration.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// A pump must be repeatable several times, and its places must grow each time.
void check_pump(const Net& net, const CompiledNet& compiled, Semantics semantics,
                const states::BoundednessAnswer& answer) {
    Schedule schedule = answer.prefix;
    REQUIRE_FALSE(answer.pump.empty());
    REQUIRE_FALSE(answer.growing.empty());
    Marking before = replay(compiled, net, schedule, semantics).marking;
    for (int round = 0; round < 4; ++round) {
        schedule.insert(schedule.end(), answer.pump.begin(), answer.pump.end());
        const Marking after = replay(compiled, net, schedule, semantics).marking;
        for (std::size_t p = 0; p < after.size(); ++p) {
            const bool grows = std::ranges::find(answer.growing, p) != answer.growing.end();
            REQUIRE((grows ? after[p] > before[p] : after[p] == before[p]));
        }
        before = after;
    }
}

}  // namespace

TEST_CASE("a verdict on bounds is true: all markings are few, or a pump can be repeated") {
    for (const Semantics semantics : {Semantics::interleaving, Semantics::maximal}) {
        std::size_t bounded = 0, unbounded = 0;
        for (std::uint64_t seed = 0; seed < case_count(1500); ++seed) {
            CAPTURE(seed, semantics);
            RandomNetOptions options;
            options.places = 4;
            options.transitions = 5;
            options.gadgets = 1;
            options.immediates = options.priorities = seed % 2 == 0;
            const Net net = random_net(seed, options);
            const CompiledNet compiled = compile(net);
            const states::BoundednessAnswer answer =
                states::decide_boundedness(net, compiled, {.semantics = semantics, .max_states = 2000}, 300);
            if (reference_space(net, semantics, 300)) REQUIRE(answer.bounded == true);
            if (answer.bounded == false) check_pump(net, compiled, semantics, answer);
            bounded += answer.bounded == true ? 1U : 0U;
            unbounded += answer.bounded == false ? 1U : 0U;
        }
        CAPTURE(bounded, unbounded);
        CHECK(bounded >= least_count(300));
        CHECK(unbounded >= least_count(semantics == Semantics::interleaving ? 100 : 20));
    }
}

TEST_CASE("a net that grows only after a while is unbounded, and shown to be") {
    NetBuilder builder;
    const PlaceId p = builder.add_place("p", 2), q = builder.add_place("q"), r = builder.add_place("r");
    const TransitionId begin = builder.add_transition("begin");
    builder.add_input(p, begin, 2);
    builder.add_output(begin, q);
    const TransitionId grow = builder.add_transition("grow");
    builder.add_input(q, grow);
    builder.add_output(grow, q);
    builder.add_output(grow, r);
    const Net net = builder.build();
    const states::BoundednessAnswer answer = states::decide_boundedness(net, compile(net), {});
    CHECK(answer.bounded == false);
    CHECK(answer.prefix.size() == 1);
    CHECK(answer.pump.size() == 1);
    CHECK(answer.growing == std::vector<std::uint32_t>{2});
}
