#pragma once

#include "analysis/states/explore/net_graph.hpp"
#include "analysis/states/explore/step_graph.hpp"
#include "engine/net/net.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <boost/graph/compressed_sparse_row_graph.hpp>

namespace warpnet {

// Nets and state graphs copied into graphs of the Boost Graph Library (a net is one without a copy, too:
// net_graph.hpp): any of its algorithms that leaves the graph as it is can be run on them, such as strong
// components, dominators, topological orders, shortest paths.
//
//     const BoostGraph graph = boost_graph(net);
//     std::vector<std::uint32_t> component(num_vertices(graph));
//     boost::strong_components(graph, boost::make_iterator_property_map(
//         component.begin(), get(boost::vertex_index, graph)));
//
// Dominators: the short form of lengauer_tarjan_dominator_tree of Boost 1.74 is wrong if a vertex cannot be
// reached. Use the form that takes its maps as arguments, all null_vertex() at first.
//
// Header-only: nothing else of warpnet depends on it. Tested by boost_graph_test.cpp.

/// Directed, with edges that can be followed in both directions; vertices are numbers from 0. A copy: about
/// 16 bytes per vertex and 24 per edge; it does not follow later changes of the net. Models VertexListGraph,
/// EdgeListGraph, BidirectionalGraph and AdjacencyGraph.
using BoostGraph =
    boost::compressed_sparse_row_graph<boost::bidirectionalS, boost::no_property, boost::no_property,
                                       boost::no_property, std::size_t, std::size_t>;

}  // namespace warpnet

namespace boost {

/// The concept of a bidirectional graph requires these, and compressed_sparse_row_graph lacks them (Boost
/// 1.74). They are in the namespace in which Boost's algorithms look for them.
inline std::size_t degree(std::size_t vertex, const warpnet::BoostGraph& graph) {
    return out_degree(vertex, graph) + in_degree(vertex, graph);
}

}  // namespace boost

namespace warpnet {

/// Which arcs of a net are edges.
enum class NetEdges : std::uint8_t {
    flow,  ///< input arcs, from the place, and output arcs, to the place
    all,   ///< also inhibitor and read arcs, from the place: everything that firing depends on
};

/// The bipartite graph of places and transitions, with the vertices of net_graph.hpp. Two arcs between the
/// same nodes are two edges. O(nodes + arcs).
inline BoostGraph boost_graph(const Net& net, NetEdges edges = NetEdges::flow) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    pairs.reserve(net.arcs().size());
    for (const Arc& arc : net.arcs()) {
        const std::size_t place = vertex_of(arc.place), transition = vertex_of(net, arc.transition);
        if (arc.kind == ArcKind::output)
            pairs.emplace_back(transition, place);
        else if (arc.kind == ArcKind::input || edges == NetEdges::all)
            pairs.emplace_back(place, transition);
    }
    return BoostGraph(boost::edges_are_unsorted_multi_pass, pairs.begin(), pairs.end(),
                      net.places().size() + net.transitions().size());
}

/// The markings of a state graph, by their numbers, and an edge for each step. O(states + edges).
inline BoostGraph boost_graph(const StepGraph& graph) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    pairs.reserve(graph.edges());
    for (std::uint32_t state = 0; state < graph.size(); ++state) {
        for (const std::uint32_t target : graph.targets(state)) pairs.emplace_back(state, target);
    }
    return BoostGraph(boost::edges_are_unsorted_multi_pass, pairs.begin(), pairs.end(), graph.size());
}

}  // namespace warpnet
