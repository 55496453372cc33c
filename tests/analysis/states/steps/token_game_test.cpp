#include "analysis/states/steps/token_game.hpp"

#include "engine/executors/plain/run.hpp"
#include "engine/net/error.hpp"
#include "tests/support/random_net.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <rapidcheck/catch.h>

using namespace warpnet;
using namespace warpnet::testing;

TEST_CASE("a game of random steps is the run of its seed, and can be taken back") {
    for (const Semantics semantics : {Semantics::maximal, Semantics::multiset, Semantics::interleaving}) {
        rc::prop(std::string(to_string(semantics)), [semantics](std::uint64_t seed) {
            RandomNetOptions net_options;
            net_options.sources = semantics != Semantics::multiset;
            const Net net = random_net(seed, net_options);
            RunOptions options;
            options.semantics = semantics;
            options.seed = seed;
            options.max_steps = 4;
            ScheduleRecorder recorder;
            const RunResult expected = plain_run(compile(net), options, &recorder);
            RC_PRE(expected.firings < 1000);

            states::TokenGame game(net, semantics, seed);
            std::vector<Marking> markings = {game.marking()};
            for (std::size_t i = 0; i < recorder.schedule().size(); ++i) {
                RC_ASSERT(game.make_random());
                markings.push_back(game.marking());
            }
            RC_ASSERT(Schedule(game.made().begin(), game.made().end()) == recorder.schedule());
            RC_ASSERT(game.marking() == expected.marking);
            RC_ASSERT(game.timed_steps() == expected.steps);
            if (expected.reason == StopReason::dead) RC_ASSERT(!game.make_random());
            const std::size_t length = game.length();
            for (const std::size_t position : {length / 2, length, std::size_t{0}, length / 3}) {
                game.go_to(position);
                RC_ASSERT(game.position() == position);
                RC_ASSERT(game.marking() == markings[position]);
            }
        });
    }
}

TEST_CASE("a step that is none changes nothing, and a new one forgets those taken back") {
    NetBuilder builder;
    const PlaceId p = builder.add_place("p", 1);
    for (const char* id : {"a", "b"}) builder.add_input(p, builder.add_transition(id));
    const Net net = builder.build();
    states::TokenGame game(net, Semantics::maximal, 1);
    CHECK(game.enabled() == std::vector<std::uint32_t>{0, 1});
    CHECK(game.possible_steps(10).steps.size() == 2);
    CHECK(game.possible_steps(10).complete);
    CHECK_FALSE(game.possible_steps(1).complete);
    const std::uint32_t members[] = {1};
    CHECK(game.possible_steps(10, members).steps == std::vector<ScheduledStep>{{false, {1}}});
    CHECK_THROWS_AS(game.make({false, {0, 1}}), InputError);
    CHECK_THROWS_WITH(game.make({false, {}}), "that step is empty");
    CHECK(game.position() == 0);
    game.make({false, {0}});
    game.go_to(0);
    CHECK(game.length() == 1);
    game.make({false, {1}});
    CHECK(game.length() == 1);
    CHECK(game.made()[0].transitions == std::vector<std::uint32_t>{1});
    CHECK(game.enabled().empty());
}
