#include "cli/report/play_dialogue.hpp"

#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::cli;
using Catch::Contains;

namespace {

/// Two transitions that compete for the one token of a place.
Net choice() {
    NetBuilder net;
    const PlaceId begin = net.add_place("begin", 1), end = net.add_place("the end", 0);
    for (const char* id : {"left", "right"}) {
        const TransitionId transition = net.add_transition(id);
        net.add_arc(ArcKind::input, begin, transition, 1);
        net.add_arc(ArcKind::output, end, transition, 1);
    }
    return net.build();
}

}  // namespace

TEST_CASE("the dialogue of a token game: steps by number or id, back and forth, to the end") {
    const Net net = choice();
    const PlayDialogue play = play_dialogue(net, Semantics::maximal, 1);
    CHECK_THAT(play.welcome, Contains("marking: begin=1\nafter 0 steps\npossible steps:\n   1  left\n"));
    CHECK_THAT(*play.answer("2"),
               Contains("fired: right\nchanged: begin 1->0 \"the end\" 0->1\nafter 1 step"));
    CHECK_THAT(*play.answer("undo"), Contains("after 0 steps\n"));
    CHECK_THAT(*play.answer("fire left"), Contains("fired: left\n"));
    CHECK_THAT(*play.answer("history"), Contains("   1  left\n"));
    CHECK(play.answer("marking 'the end' begin") == "marking: \"the end\"=1 begin=0\n");
    CHECK_FALSE(play.answer("quit"));
}

TEST_CASE("a command that is invalid in a marking is refused and changes nothing") {
    const Net net = choice();
    const PlayDialogue play = play_dialogue(net, Semantics::maximal, 1, Schedule{{false, {0}}});
    const auto before = play.answer("");
    CHECK_THAT(*before, Contains("after 1 step\ndead: nothing can fire"));
    for (const char* line :
         {"left", "undo 2", "goto 2", "1", "no_such_id", "marking no_such_id", "'left", "left*0"})
        CHECK_THROWS_AS(play.answer(line), InputError);
    CHECK(play.answer("") == before);
}
