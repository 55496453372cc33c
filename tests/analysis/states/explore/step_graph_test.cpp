#include "analysis/states/explore/step_graph.hpp"

#include "analysis/states/explore/explore.hpp"
#include "analysis/states/explore/state_graph_text.hpp"
#include "engine/net/net_builder.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_net.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

TEST_CASE("components are those of Boost.Graph, and numbered against the edges") {
    std::size_t largest = 0, graphs = 0;
    for (std::uint64_t seed = 1; seed <= case_count(600); ++seed) {
        CAPTURE(seed);
        const CompiledNet net = compile(random_net(seed));
        const states::ExploreOptions options{.max_states = 3000};
        const states::Exploration explored = states::explore(net, options);
        if (!explored.complete()) continue;
        const states::StepGraph graph = *states::step_graph(net, options, explored);
        const states::Components found = states::components(graph);
        boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> judge(graph.size());
        for (std::uint32_t state = 0; state < graph.size(); ++state) {
            for (const std::uint32_t target : graph.targets(state)) {
                boost::add_edge(state, target, judge);
                REQUIRE(found.of[target] <= found.of[state]);
            }
        }
        std::vector<std::uint32_t> expected(graph.size());
        REQUIRE(boost::strong_components(judge, expected.data()) == found.count);
        std::vector<std::uint32_t> translated(found.count, graph.size());
        std::vector<std::uint8_t> left(found.count, 0);
        for (std::uint32_t state = 0; state < graph.size(); ++state) {
            std::uint32_t& counterpart = translated[found.of[state]];
            if (counterpart == graph.size()) counterpart = expected[state];
            REQUIRE(counterpart == expected[state]);
            for (const std::uint32_t target : graph.targets(state))
                if (found.of[target] != found.of[state]) left[found.of[state]] = 1;
        }
        for (std::uint32_t c = 0; c < found.count; ++c) REQUIRE(found.bottom[c] == (left[c] == 0 ? 1 : 0));
        largest = std::max<std::size_t>(largest, graph.size());
        ++graphs;
    }
    CHECK(graphs >= least_count(200));
    CHECK(largest >= least_count(1000));
}

TEST_CASE("the state graph as text") {
    NetBuilder builder;
    const PlaceId p = builder.add_place("p", 2), q = builder.add_place("q");
    const TransitionId move = builder.add_transition("move"), eat = builder.add_transition("eat \"q\"");
    builder.add_input(p, move);
    builder.add_output(move, q);
    builder.add_input(q, eat);
    const Net net = builder.build();
    const CompiledNet compiled = compile(net);
    const auto text = [&](Semantics semantics, auto write) {
        const states::ExploreOptions options{.semantics = semantics};
        const states::Exploration explored = states::explore(compiled, options);
        return write(net, compiled, semantics, explored, *states::step_graph(compiled, options, explored));
    };
    CHECK(text(Semantics::multiset, states::state_graph_aut) ==
          "des (0, 2, 3)\n"
          "(0, \"2*move\", 1)\n"
          "(1, \"2*eat 'q'\", 2)\n");
    CHECK(text(Semantics::maximal, states::state_graph_aut) ==
          "des (0, 3, 4)\n"
          "(0, \"move\", 1)\n"
          "(1, \"move+eat 'q'\", 2)\n"
          "(2, \"eat 'q'\", 3)\n");
    CHECK(text(Semantics::maximal, states::state_graph_dot) ==
          "digraph states {\n"
          "  node [shape=box, style=rounded];\n"
          "  s0 [label=\"2 p\", penwidth=2];\n"
          "  s1 [label=\"p, q\"];\n"
          "  s2 [label=\"q\"];\n"
          "  s3 [label=\"(empty)\", peripheries=2];\n"
          "  s0 -> s1 [label=\"move\"];\n"
          "  s1 -> s2 [label=\"move+eat 'q'\"];\n"
          "  s2 -> s3 [label=\"eat 'q'\"];\n"
          "}\n");
}

TEST_CASE("a picture of the state graph has names where they are a node's own, its list of edges has ids") {
    NetBuilder builder;
    const PlaceId p1 = builder.add_place("p1", 1, "ready"), p2 = builder.add_place("p2", 1, "same");
    const PlaceId p3 = builder.add_place("p3", 0, "same");
    const TransitionId t = builder.add_transition("t", "go on");
    builder.add_input(p1, t);
    builder.add_input(p2, t);
    builder.add_output(t, p3);
    const Net net = builder.build();
    const CompiledNet compiled = compile(net);
    const states::ExploreOptions options{.semantics = Semantics::maximal};
    const states::Exploration explored = states::explore(compiled, options);
    const states::StepGraph graph = *states::step_graph(compiled, options, explored);
    CHECK(states::state_graph_dot(net, compiled, Semantics::maximal, explored, graph) ==
          "digraph states {\n"
          "  node [shape=box, style=rounded];\n"
          "  s0 [label=\"ready, p2\", penwidth=2];\n"
          "  s1 [label=\"p3\", peripheries=2];\n"
          "  s0 -> s1 [label=\"go on\"];\n"
          "}\n");
    CHECK(states::state_graph_aut(net, compiled, Semantics::maximal, explored, graph) ==
          "des (0, 1, 2)\n"
          "(0, \"t\", 1)\n");
}

TEST_CASE("names with backslashes, quotes and control characters do not break a graph as text") {
    NetBuilder builder;
    builder.add_input(builder.add_place("p\\n", 1), builder.add_transition("t\\l\x1b\"x\""));
    const Net net = builder.build();
    const CompiledNet compiled = compile(net);
    const states::ExploreOptions options{.semantics = Semantics::maximal};
    const states::Exploration explored = states::explore(compiled, options);
    const std::string dot = states::state_graph_dot(net, compiled, Semantics::maximal, explored,
                                                    *states::step_graph(compiled, options, explored));
    CHECK(dot.find("s0 [label=\"p\\\\n\"") != std::string::npos);
    CHECK(dot.find("s0 -> s1 [label=\"t\\\\l\\\\u001b'x'\"]") != std::string::npos);
}
