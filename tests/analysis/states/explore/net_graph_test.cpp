#include "analysis/states/explore/net_graph.hpp"

#include "analysis/states/explore/boost_graph.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_net.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/reverse_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/range/iterator_range.hpp>
#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<Net>));
BOOST_CONCEPT_ASSERT((boost::EdgeListGraphConcept<Net>));
BOOST_CONCEPT_ASSERT((boost::IncidenceGraphConcept<Net>));
BOOST_CONCEPT_ASSERT((boost::BidirectionalGraphConcept<Net>));
BOOST_CONCEPT_ASSERT((boost::AdjacencyGraphConcept<Net>));
BOOST_CONCEPT_ASSERT((boost::ReadablePropertyGraphConcept<Net, std::size_t, boost::vertex_index_t>));
BOOST_CONCEPT_ASSERT((boost::ReadablePropertyGraphConcept<Net, NetEdge, boost::edge_index_t>));

namespace {

using Edges = std::multiset<std::pair<std::size_t, std::size_t>>;
using FlowGraph = boost::filtered_graph<Net, FlowArcs>;

template <class Graph>
Edges edges_of(const Graph& graph) {
    Edges found;
    for (const auto& edge : boost::make_iterator_range(edges(graph)))
        found.emplace(source(edge, graph), target(edge, graph));
    return found;
}

/// From the edges that leave each vertex, those that enter it, and its neighbours.
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

/// Edges on a shortest way from the first vertex; -1 where there is none.
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

/// Numbers by which two partitions are the same, if they are.
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

TEST_CASE("Boost's algorithms say of 1,000 nets as they stand what they say of copies") {
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
