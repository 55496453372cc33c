#include "engine/run_many.hpp"

#include "engine/net/net_builder.hpp"
#include "engine/plan.hpp"
#include "tests/support/sample_nets.hpp"

#include <cstdint>
#include <utility>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

TEST_CASE("as many runs as are asked for, each as if made alone") {
    const Plan planned = plan(compile(station_net(3)));
    ManyOptions options;
    options.run.max_steps = 12;
    options.run.run = 5;
    options.markings = true;
    for (const std::uint64_t runs : {1u, 2u, 1023u, 1024u, 1025u, 3071u, 3072u, 3073u, 5000u}) {
        options.runs = runs;
        const std::vector<RunResult> results = run_many(planned, options);
        REQUIRE(results.size() == runs);
        for (std::uint64_t i = 0; i < runs; i += 1 + runs / 7) {
            RunOptions alone = options.run;
            alone.run += i;
            CHECK(results[i] == run(planned, alone));
        }
    }
}

TEST_CASE("a long run that never ends is stopped if the question is answered, and any other run continues") {
    NetBuilder builder("ring");
    const PlaceId a = builder.add_place("a", 1), b = builder.add_place("b");
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
        const TransitionId move = builder.add_transition(from == a ? "there" : "back");
        builder.add_input(from, move);
        builder.add_output(move, to);
    }
    const Net net = builder.build();
    const Plan planned = plan(compile(net));
    ManyOptions options;
    options.run.max_steps = steps_before_question + 1'001;
    options.markings = true;
    const std::vector<RunResult> whole = run_many(planned, options);
    options.never_ends = [](const RunOptions&) { return false; };
    CHECK(run_many(planned, options) == whole);
    options.never_ends = [](const RunOptions&) { return true; };
    const RunResult stopped = run_many(planned, options).front();
    CHECK(stopped.steps == steps_before_question);
    CHECK(stopped.reason == StopReason::step_limit);
    CHECK(stopped.endless);
    options.run.max_steps = steps_before_question;
    CHECK_FALSE(run_many(planned, options).front().endless);
}
