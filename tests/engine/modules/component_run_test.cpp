// The component executor against the reference, the general executor and the recipe of a net that does not
// fall into components.

#include "engine/modules/component_run.hpp"

#include "engine/modules/component_net.hpp"
#include "engine/run/plain_run.hpp"
#include "engine/run/replay.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/executor_checks.hpp"
#include "tests/support/random_component_net.hpp"

#include <map>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// Hubs as RandomComponentNet means them.
constexpr CompileOptions few_consumers = {.hub_consumers = 3};
constexpr CompileOptions no_components = {.hub_consumers = 3, .components = false};

}  // namespace

TEST_CASE("component executor: the reference's runs under keyed and deterministic policies") {
    std::size_t component_nets = 0;
    std::map<StopReason, std::uint64_t> reasons;
    for (std::uint64_t seed = 0; seed < case_count(1500); ++seed) {
        const Net net = RandomComponentNet(seed).build();
        const CompiledNet compiled = compile(net, few_consumers);
        if (!compiled.components) continue;
        ++component_nets;
        RunOptions options = options_for(seed);
        options.keyed = true;
        for (const Policy policy : {Policy::first, Policy::last, Policy::random}) {
            options.policy = policy;
            REQUIRE(why_not_components(compiled, options).empty());
            CAPTURE(seed, to_string(policy));
            ++reasons[check_against_reference(net, compiled, options)];
        }
    }
    CHECK(component_nets > case_count(300));
    CHECK(reasons[StopReason::dead] > case_count(200));
    CHECK(reasons[StopReason::step_limit] > case_count(200));
}

TEST_CASE("component executor: a random run is the same with and without an observer, and replays") {
    for (std::uint64_t seed = 0; seed < case_count(1500); ++seed) {
        const Net net = RandomComponentNet(seed).build();
        const CompiledNet compiled = compile(net, few_consumers);
        const RunOptions options = options_for(seed);
        if (!compiled.components) continue;
        CAPTURE(seed);
        const RunResult alone = run(compiled, options);
        ScheduleRecorder recorder;
        CHECK(run(compiled, options, &recorder) == alone);
        const RunResult replayed = replay(compiled, net, recorder.schedule(), Semantics::maximal);
        CHECK(replayed.reason == alone.reason);
        CHECK(replayed.marking == alone.marking);
        CHECK(replayed.firings == alone.firings);
    }
}

TEST_CASE("component executor: random runs are distributed like those of the general executor") {
    std::size_t compared = 0;
    for (std::uint64_t seed = 0; seed < case_count(400); ++seed) {
        const Net net = RandomComponentNet(seed).build();
        const CompiledNet components = compile(net, few_consumers), general = compile(net, no_components);
        if (!components.components) continue;
        RunOptions options;
        options.max_steps = 60;
        const double deviation = deviation_of_executors(components, general, options, 1000);
        if (deviation < 0) continue;
        ++compared;
        CAPTURE(seed);
        CHECK(deviation < 5);
    }
    CHECK(compared > case_count(40));
}

TEST_CASE("compile says why a net does not fall into components") {
    NetBuilder builder;
    const PlaceId p = builder.add_place("p", 1);
    const TransitionId t = builder.add_transition("t");
    builder.add_input(p, t);
    const TransitionId now = builder.add_transition("now");
    builder.add_input(p, now);
    SECTION("one piece") {
        const CompiledNet net = compile(builder.build());
        CHECK(why_not_components(net) == "no place has many consumers");
        RunOptions options;
        options.semantics = Semantics::interleaving;
        CHECK(why_not_components(net, options) == "steps are not maximal steps");
    }
    SECTION("immediate") {
        builder.set_immediate(now);
        CHECK(why_not_components(compile(builder.build())) == "it has immediate transitions or priorities");
    }
}
