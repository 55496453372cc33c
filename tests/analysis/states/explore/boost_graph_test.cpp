#include "analysis/states/explore/boost_graph.hpp"

#include "analysis/states/explore/step_graph.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_net.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/reverse_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/range/iterator_range.hpp>
#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;
using Edges = std::multiset<std::pair<std::size_t, std::size_t>>;
using FlowGraph = boost::filtered_graph<Net, FlowArcs>;

BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<BoostGraph>));
BOOST_CONCEPT_ASSERT((boost::EdgeListGraphConcept<BoostGraph>));
BOOST_CONCEPT_ASSERT((boost::BidirectionalGraphConcept<BoostGraph>));
BOOST_CONCEPT_ASSERT((boost::AdjacencyGraphConcept<BoostGraph>));

namespace {

Edges edges_of(const BoostGraph& graph) {
    Edges found;
    for (const auto& edge : boost::make_iterator_range(edges(graph)))
        found.emplace(source(edge, graph), target(edge, graph));
    return found;
}

Edges in_edges_of(const BoostGraph& graph) {
    Edges found;
    for (const auto vertex : boost::make_iterator_range(vertices(graph))) {
        for (const auto& edge : boost::make_iterator_range(in_edges(vertex, graph)))
            found.emplace(source(edge, graph), vertex);
    }
    return found;
}

std::vector<std::size_t> strong_components(const BoostGraph& graph) {
    std::vector<std::size_t> component(num_vertices(graph));
    if (component.empty()) return component;
    boost::strong_components(
        graph, boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, graph)));
    return component;
}

/// The vertices that can be reached from `from` without passing through `without`.
std::vector<bool> reached(const BoostGraph& graph, std::size_t from, std::size_t without) {
    std::vector<bool> seen(num_vertices(graph), false);
    std::vector<std::size_t> open;
    if (from != without) open.push_back(from);
    while (!open.empty()) {
        const std::size_t at = open.back();
        open.pop_back();
        if (seen[at]) continue;
        seen[at] = true;
        for (const auto next : boost::make_iterator_range(adjacent_vertices(at, graph)))
            if (next != without) open.push_back(next);
    }
    return seen;
}

/// Uses the form of the algorithm with explicit maps. The short form of Boost 1.74 confuses unreachable
/// vertices with the entry.
std::vector<std::size_t> immediate_dominators(const BoostGraph& graph, std::size_t entry) {
    const std::size_t none = boost::graph_traits<BoostGraph>::null_vertex();
    std::vector<std::size_t> dominator(num_vertices(graph), none), number(dominator), parent(dominator),
        by_number(dominator);
    const auto map = [&](std::vector<std::size_t>& values) {
        return boost::make_iterator_property_map(values.begin(), get(boost::vertex_index, graph));
    };
    boost::lengauer_tarjan_dominator_tree(graph, entry, get(boost::vertex_index, graph), map(number),
                                          map(parent), by_number, map(dominator));
    return dominator;
}

}  // namespace

TEST_CASE("the graphs of 1,000 random nets have their arcs, forwards and backwards") {
    for (std::uint64_t seed = 1; seed <= case_count(1000); ++seed) {
        CAPTURE(seed);
        const Net net = random_net(seed);
        for (const NetEdges wanted : {NetEdges::flow, NetEdges::all}) {
            Edges expected;
            for (std::size_t t = 0; t < net.transitions().size(); ++t) {
                for (const Arc& arc : net.arcs_of(static_cast<TransitionId>(t))) {
                    const std::size_t place = index(arc.place), transition = net.places().size() + t;
                    if (arc.kind == ArcKind::output) expected.emplace(transition, place);
                    if (arc.kind == ArcKind::input) expected.emplace(place, transition);
                    const bool other = arc.kind == ArcKind::inhibitor || arc.kind == ArcKind::read;
                    if (other && wanted == NetEdges::all) expected.emplace(place, transition);
                }
            }
            const BoostGraph graph = boost_graph(net, wanted);
            REQUIRE(num_vertices(graph) == net.places().size() + net.transitions().size());
            REQUIRE(edges_of(graph) == expected);
            REQUIRE(in_edges_of(graph) == expected);
        }
    }
}

TEST_CASE("dominators of nets by Boost.Graph are those of the definition") {
    for (std::uint64_t seed = 1; seed <= case_count(200); ++seed) {
        CAPTURE(seed);
        const BoostGraph graph = boost_graph(random_net(seed));
        const std::size_t none = boost::graph_traits<BoostGraph>::null_vertex();
        const std::vector<std::size_t> dominator = immediate_dominators(graph, 0);
        const std::vector<bool> reachable = reached(graph, 0, none);
        std::vector<std::set<std::size_t>> all(num_vertices(graph));  // by definition, without itself
        for (std::size_t d = 0; d < all.size(); ++d) {
            const std::vector<bool> around = reached(graph, 0, d);
            for (std::size_t v = 0; v < all.size(); ++v)
                if (reachable[d] && reachable[v] && v != d && !around[v]) all[v].insert(d);
        }
        for (std::size_t v = 1; v < all.size(); ++v) {
            if (!reachable[v]) continue;
            std::set<std::size_t> chain;
            for (std::size_t d = dominator[v]; d != none; d = dominator[d]) chain.insert(d);
            REQUIRE(chain == all[v]);
        }
    }
}

TEST_CASE("components of state graphs by Boost.Graph are our own") {
    std::size_t graphs = 0;
    for (std::uint64_t seed = 1; seed <= case_count(300); ++seed) {
        const CompiledNet net = compile(random_net(seed));
        const states::ExploreOptions options{.max_states = 500};
        const states::Exploration explored = states::explore(net, options);
        if (!explored.complete()) continue;
        CAPTURE(seed);
        ++graphs;
        const states::StepGraph states = *states::step_graph(net, options, explored);
        const BoostGraph graph = boost_graph(states);
        REQUIRE(num_vertices(graph) == states.size());
        REQUIRE(num_edges(graph) == states.edges());
        const std::vector<std::size_t> theirs = strong_components(graph);
        const states::Components ours = states::components(states);
        std::map<std::size_t, std::uint32_t> names;
        for (std::uint32_t s = 0; s < states.size(); ++s)
            REQUIRE(names.try_emplace(theirs[s], ours.of[s]).first->second == ours.of[s]);
        REQUIRE(names.size() == ours.count);
    }
    CHECK(graphs >= least_count(100));
}

// An example: the nodes to which a warp returns, and the nodes that it needs.
TEST_CASE("a warp goes round until it ends: strong components and dominators of its net") {
    netgen::WarpsSpec spec;
    spec.warps = {{2, 1, 1}};
    const Net net = netgen::warps_net(spec);
    const NodeIndex nodes(net);
    const BoostGraph graph = boost_graph(net);
    const std::vector<std::size_t> component = strong_components(graph);
    const auto of = [&](const char* id) {
        const auto place = nodes.place(id);
        return component[place ? vertex_of(*place) : vertex_of(net, *nodes.transition(id))];
    };
    CHECK(of("w1_issue") == of("w1_ready"));
    CHECK(of("w1_issue") == of("w1_global_finish"));
    CHECK(of("w1_terminate") != of("w1_ready"));
    CHECK(of("w1_arith_left") != of("w1_arith_next"));

    const std::vector<std::size_t> dominator =
        immediate_dominators(graph, vertex_of(*nodes.place("w1_global_timer")));
    CHECK(dominator[vertex_of(*nodes.place("w1_global_done"))] ==
          vertex_of(net, *nodes.transition("w1_global_access")));
    CHECK(dominator[vertex_of(*nodes.place("w1_executing"))] ==
          vertex_of(net, *nodes.transition("w1_issue")));
}

BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<Net>));
BOOST_CONCEPT_ASSERT((boost::EdgeListGraphConcept<Net>));
BOOST_CONCEPT_ASSERT((boost::IncidenceGraphConcept<Net>));
BOOST_CONCEPT_ASSERT((boost::BidirectionalGraphConcept<Net>));
BOOST_CONCEPT_ASSERT((boost::AdjacencyGraphConcept<Net>));
BOOST_CONCEPT_ASSERT((boost::ReadablePropertyGraphConcept<Net, std::size_t, boost::vertex_index_t>));
BOOST_CONCEPT_ASSERT((boost::ReadablePropertyGraphConcept<Net, NetEdge, boost::edge_index_t>));

namespace {

template <class Graph>
Edges edges_of(const Graph& graph) {
    Edges found;
    for (const auto& edge : boost::make_iterator_range(edges(graph)))
        found.emplace(source(edge, graph), target(edge, graph));
    return found;
}

/// The outgoing and incoming edges of each vertex, and its neighbours.
template <class Graph>
std::vector<Edges> edges_at_vertices(const Graph& graph) {
    std::vector<Edges> found(3);
    for (const auto vertex : boost::make_iterator_range(vertices(graph))) {
        for (const auto& edge : boost::make_iterator_range(out_edges(vertex, graph)))
            found[0].emplace(source(edge, graph), target(edge, graph));
        for (const auto& edge : boost::make_iterator_range(in_edges(vertex, graph)))
            found[1].emplace(source(edge, graph), target(edge, graph));
        for (const auto next : boost::make_iterator_range(adjacent_vertices(vertex, graph)))
            found[2].emplace(vertex, next);
    }
    return found;
}

template <class Graph>
std::vector<std::size_t> strong_components(const Graph& graph) {
    std::vector<std::size_t> component(num_vertices(graph));
    if (component.empty()) return component;
    boost::strong_components(
        graph, boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, graph)));
    return component;
}

/// Edges on a shortest path from the first vertex; -1 if there is none.
template <class Graph>
std::vector<int> distances(const Graph& graph) {
    std::vector<int> distance(num_vertices(graph), -1);
    if (distance.empty()) return distance;
    distance[0] = 0;
    boost::breadth_first_search(graph, 0,
                                boost::visitor(boost::make_bfs_visitor(
                                    boost::record_distances(distance.data(), boost::on_tree_edge()))));
    return distance;
}

/// Whether two partitions, given by numbers, are equal.
bool same_partition(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
    std::map<std::size_t, std::size_t> there, back;
    for (std::size_t v = 0; v < a.size(); ++v) {
        if (there.try_emplace(a[v], b[v]).first->second != b[v]) return false;
        if (back.try_emplace(b[v], a[v]).first->second != a[v]) return false;
    }
    return a.size() == b.size();
}

}  // namespace

TEST_CASE("1,000 random nets are graphs: their arcs, from every side") {
    for (std::uint64_t seed = 1; seed <= case_count(1000); ++seed) {
        CAPTURE(seed);
        const Net net = random_net(seed);
        REQUIRE(num_vertices(net) == net.places().size() + net.transitions().size());
        REQUIRE(num_edges(net) == net.arcs().size());
        Edges all, flow;
        for (const Arc& arc : net.arcs()) {
            const std::size_t place = index(arc.place);
            const std::size_t transition = net.places().size() + index(arc.transition);
            const auto edge =
                arc.kind == ArcKind::output ? std::pair(transition, place) : std::pair(place, transition);
            all.insert(edge);
            if (arc.kind == ArcKind::input || arc.kind == ArcKind::output) flow.insert(edge);
        }
        REQUIRE(edges_of(net) == all);
        for (const Edges& found : edges_at_vertices(net)) REQUIRE(found == all);
        for (const auto vertex : boost::make_iterator_range(vertices(net)))
            REQUIRE(degree(vertex, net) == out_degree(vertex, net) + in_degree(vertex, net));
        const FlowGraph filtered(net, FlowArcs(net));
        REQUIRE(edges_of(filtered) == flow);
        for (const Edges& found : edges_at_vertices(filtered)) REQUIRE(found == flow);
    }
}

TEST_CASE("Boost's algorithms say of 1,000 nets as they are what they say of copies") {
    for (std::uint64_t seed = 1; seed <= case_count(1000); ++seed) {
        CAPTURE(seed);
        const Net net = random_net(seed);
        const BoostGraph copy = boost_graph(net, NetEdges::all);
        REQUIRE(same_partition(strong_components(net), strong_components(copy)));
        REQUIRE(distances(net) == distances(copy));
        REQUIRE(distances(boost::make_reverse_graph(net)) == distances(boost::make_reverse_graph(copy)));
        const FlowGraph filtered(net, FlowArcs(net));
        REQUIRE(distances(filtered) == distances(boost_graph(net)));
    }
}
