#include "engine/net/net_builder.hpp"
#include "pnml/rewrite.hpp"
#include "pnml/text/net_file.hpp"
#include "tests/pnml/random_net.hpp"
#include "tests/support/bad_input.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <rapidcheck/catch.h>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

Net small_net() {
    NetBuilder builder("two");
    const PlaceId p = builder.add_place("p", 3), q = builder.add_place("PLACE", 0, "the place");
    const TransitionId t = builder.add_transition("t"), u = builder.add_transition("tr", "go on");
    builder.add_input(p, t, 2);
    builder.add_output(t, q);
    builder.add_read(p, u);
    builder.add_input(q, u);
    return builder.build();
}

/// The net without parts that a format cannot express.
Net without_timing(const Net& net) {
    NetBuilder builder(net.id());
    for (const Place& place : net.places()) builder.add_place(place.id, place.initial, place.name);
    for (const Transition& transition : net.transitions())
        builder.add_transition(transition.id, transition.name);
    for (const Arc& arc : net.arcs()) {
        if (arc.kind != ArcKind::read) builder.add_arc(arc.kind, arc.place, arc.transition, arc.weight);
    }
    return builder.build();
}

}  // namespace

TEST_CASE("LoLA's format") {
    CHECK(pnml::write_lola(small_net()) ==
          "{ net two }\n"
          "PLACE\n  p,\n  PLACE_;\n"
          "MARKING\n  p: 3;\n"
          "TRANSITION t\nCONSUME\n  p: 2;\nPRODUCE\n  PLACE_: 1;\n"
          "TRANSITION tr\nCONSUME\n  p: 1,\n  PLACE_: 1;\nPRODUCE\n  p: 1;\n");
    const Net net = pnml::read_lola(
        "PLACE SAFE 2: a, b; { a {comment }\n c;\nMARKING a: 2, b, a;\n// more\n"
        "TRANSITION t1.x STRONG FAIR CONSUME a:2,b ; PRODUCE ;\nTRANSITION t2 CONSUME; PRODUCE c: 7;",
        "x.lola");
    CHECK(net.initial_marking() == Marking{3, 1, 0});
    CHECK(net.transitions()[0].id == "t1.x");
    CHECK(net.arcs().size() == 3);
    CHECK(net.arcs()[2].weight == 7);
}

TEST_CASE("LoLA files that are no nets are refused, with the line") {
    const auto refusal = [](const char* text) {
        return input_error_of([&] { pnml::read_lola(text, "x.lola"); }, "read");
    };
    CHECK_THAT(refusal(""), Catch::Contains("expected PLACE, found the end"));
    CHECK_THAT(refusal("PLACE a;\nMARKING b: 1;"), Catch::Contains("x.lola:2: expected a place, found 'b'"));
    CHECK_THAT(refusal("PLACE a, a; MARKING ;"), Catch::Contains("twice"));
    const std::string empty_t = "TRANSITION t CONSUME ; PRODUCE ;\n";
    CHECK_THAT(refusal(("PLACE a; MARKING ;\n" + empty_t + empty_t).c_str()),
               Catch::Contains("x.lola:3: transition 't' appears here twice"));
    CHECK_THAT(refusal(("PLACE t; MARKING ;\n" + empty_t).c_str()),
               Catch::Contains("x.lola:2: transition 't' is a place, too"));
    CHECK_THAT(refusal("PLACE a; MARKING a: x;"), Catch::Contains("expected a number, found 'x'"));
    CHECK_THAT(refusal("PLACE a; MARKING a: 99999999999999999999;"), Catch::Contains("expected a number"));
    CHECK_THAT(refusal("PLACE a; MARKING ; TRANSITION t CONSUME a: 0; PRODUCE ;"),
               Catch::Contains("at least 1"));
    CHECK_THAT(refusal("PLACE a; MARKING ; { no end"), Catch::Contains("comment"));
    CHECK_THAT(refusal("SORT s = [1, 2]; PLACE a: s;"), Catch::Contains("high-level"));
    CHECK_THAT(refusal("PLACE a; MARKING ; TRANSITION t CONSUME a PRODUCE ;"), Catch::Contains("expected ;"));
}

TEST_CASE("Tina's format") {
    CHECK(pnml::write_tina(small_net()) ==
          "net two\n"
          "pl p (3)\n"
          "pl PLACE : {the place} (0)\n"
          "tr t [0,w[ p*2 -> PLACE\n"
          "tr {tr} : {go on} [0,w[ p?1 PLACE ->\n");
    const Net net = pnml::read_tina(
        "# a comment\nnet {my net}\ntr t1 [0,w[ p1 {p 2}*2 p3?4 p5?-2 -> p1*3\ntr t2 : label -> p6\n"
        "pl p1 : one (2K)\npl lonely\nlb t1 first\n",
        "x.net");
    CHECK(net.id() == "my net");
    CHECK(net.places().size() == 6);
    CHECK(net.places()[0].initial == 2000);
    CHECK(net.places()[0].name == "one");
    CHECK(net.transitions()[0].name == "first");
    std::size_t reads = 0, inhibitors = 0;
    for (const Arc& arc : net.arcs()) {
        reads += arc.kind == ArcKind::read && arc.weight == 4 ? 1U : 0U;
        inhibitors += arc.kind == ArcKind::inhibitor && arc.weight == 2 ? 1U : 0U;
    }
    CHECK(reads == 1);
    CHECK(inhibitors == 1);
    CHECK(pnml::write_tina(pnml::read_tina("tr t p*2 p?3 q?2 -> p q*4\n", "x.net"))
              .ends_with("tr t [0,w[ p*2 p?3 q?2 -> p q*4\n"));
    CHECK_THROWS_WITH(pnml::read_tina("tr t [0,3] p -> q", "x.net"), Catch::Contains("time"));
    CHECK_THROWS_WITH(pnml::read_tina("tr t p -> q\npr t > u", "x.net"),
                      Catch::Contains("x.net:2: priorities"));
    CHECK_THROWS_WITH(pnml::read_tina("tr t p!1 -> q", "x.net"), Catch::Contains("stopwatch"));
    CHECK_THROWS_WITH(pnml::read_tina("tr t p*0 -> q", "x.net"), Catch::Contains("at least 1"));
    CHECK_THROWS_WITH(pnml::read_tina("hello", "x.net"), Catch::Contains("expected net, tr, pl or lb"));
    CHECK_THROWS_WITH(pnml::read_tina("tr t a -> b\npl t\n", "x.net"),
                      Catch::Contains("x.net:1: transition 't' is a place, too"));
    CHECK_THROWS_WITH(pnml::read_tina("tr t a -> b\ntr t b -> a\n", "x.net"),
                      Catch::Contains("x.net:2: transition 't' appears here twice"));
}

TEST_CASE("nets survive Tina's format, and without inhibitor and read arcs LoLA's") {
    rc::prop("Tina", [] {
        const Net net = without_timing(random_net(Strings::simple));
        const Net back = pnml::read_tina(pnml::write_tina(net), "net");
        RC_ASSERT(std::ranges::equal(back.places(), net.places(), {}, &Place::id, &Place::id));
        RC_ASSERT(back.initial_marking() == net.initial_marking());
        RC_ASSERT(std::ranges::equal(back.arcs(), net.arcs()));
    });
    rc::prop("LoLA", [] {
        const Net net = without_timing(random_net(Strings::simple));
        const bool inhibited =
            std::ranges::any_of(net.arcs(), [](const Arc& arc) { return arc.kind == ArcKind::inhibitor; });
        if (inhibited || net.places().empty()) return;
        const Net back = pnml::read_lola(pnml::write_lola(net), "net");
        RC_ASSERT(back.initial_marking() == net.initial_marking());
        RC_ASSERT(std::ranges::equal(back.arcs(), net.arcs()));
    });
}

TEST_CASE("Aldebaran's format becomes a state machine") {
    const Net net = pnml::read_aut("des (1, 3, 2)\n(0, \"a, b\", 1)\n(1,i,0)\n(1, \"a, b\", 1)\n", "x.aut");
    CHECK(net.initial_marking() == Marking{0, 1});
    REQUIRE(net.transitions().size() == 3);
    CHECK(net.transitions()[0].id == "a, b");
    CHECK(label(net.transitions()[2]) == "a, b");
    CHECK(net.transitions()[2].id != "a, b");
    CHECK_THROWS_WITH(pnml::read_aut("des (0, 2, 2)\n(0, a, 1)\n", "x.aut"),
                      Catch::Contains("expected 2 edges, found 1"));
    CHECK_THROWS_WITH(pnml::read_aut("des (0, 1, 2)\n(0, a, 2)\n", "x.aut"), Catch::Contains("x.aut:2"));
    CHECK_THROWS_WITH(pnml::read_aut("des (5, 1, 2)\n", "x.aut"), Catch::Contains("initial state"));
    // A text of twenty bytes used to take seconds and gigabytes.
    CHECK_THROWS_WITH(pnml::read_aut("des (0, 0, 9000000)", "x.aut"),
                      Catch::Contains("9000000 states of 0 edges"));
    CHECK(pnml::read_aut("des (0, 0, 1)", "x.aut").places().size() == 1);
    CHECK_THROWS_WITH(pnml::read_aut("digraph {}", "x.aut"), Catch::Contains("found Graphviz"));
    CHECK_THROWS_WITH(pnml::read_aut("graph", "x.aut"), Catch::Contains("expected des"));
}
