#include "engine/net/net_builder.hpp"

#include "engine/net/error.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;

TEST_CASE("parallel arcs become one") {
    NetBuilder builder;
    const PlaceId p = builder.add_place("p", 3);
    const TransitionId t = builder.add_transition("t");
    builder.add_input(p, t, 2);
    builder.add_input(p, t);
    builder.add_inhibitor(p, t, 9);
    builder.add_inhibitor(p, t, 7);
    builder.add_read(p, t, 4);
    builder.add_read(p, t, 5);
    const Net net = builder.build();
    REQUIRE(net.arcs().size() == 3);
    CHECK(net.arcs()[0] == Arc{t, ArcKind::input, p, 3});
    CHECK(net.arcs()[1] == Arc{t, ArcKind::inhibitor, p, 7});
    CHECK(net.arcs()[2] == Arc{t, ArcKind::read, p, 5});
}

TEST_CASE("nets with the same nodes and arcs are equal whatever the order of the arcs") {
    const auto make = [](bool swapped) {
        NetBuilder builder;
        const PlaceId p = builder.add_place("p", 1);
        const PlaceId q = builder.add_place("q");
        const TransitionId t = builder.add_transition("t");
        if (swapped) builder.add_output(t, q);
        builder.add_input(p, t);
        if (!swapped) builder.add_output(t, q);
        return builder.build();
    };
    CHECK(make(false) == make(true));
}

TEST_CASE("what makes no net is refused at once") {
    NetBuilder builder;
    const PlaceId p = builder.add_place("p");
    const TransitionId t = builder.add_transition("t");
    CHECK_THROWS_AS(builder.add_place(""), InputError);
    CHECK_THROWS_AS(builder.add_transition("p"), InputError);
    CHECK_THROWS_AS(builder.add_place("q", -1), InputError);
    CHECK_THROWS_AS(builder.add_input(p, t, 0), InputError);
    CHECK_THROWS_AS(builder.add_input(PlaceId(7), t), InputError);
    CHECK_THROWS_AS(builder.add_output(TransitionId(7), p), InputError);
    builder.add_input(p, t, max_tokens);
    builder.add_input(p, t, 1);
    CHECK_THROWS_AS(builder.build(), InputError);
}

TEST_CASE("nodes are found by id") {
    NetBuilder builder;
    builder.add_place("p");
    const PlaceId q = builder.add_place("q");
    const TransitionId t = builder.add_transition("t");
    const Net net = builder.build();
    const NodeIndex nodes(net);
    CHECK(nodes.place("q") == q);
    CHECK(nodes.transition("t") == t);
    CHECK_FALSE(nodes.place("t"));
    CHECK_FALSE(nodes.transition("x"));
}
