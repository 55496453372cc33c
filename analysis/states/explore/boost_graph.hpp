#pragma once

#include "analysis/states/explore/step_graph.hpp"
#include "engine/net/net.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/iterator/iterator_facade.hpp>
#include <boost/iterator/transform_iterator.hpp>
#include <boost/property_map/property_map.hpp>

// A net models the concepts of the Boost Graph Library directly, read-only and without a copy:
//
//     std::vector<std::uint32_t> component(num_vertices(net));
//     boost::strong_components(net, boost::make_iterator_property_map(
//         component.begin(), get(boost::vertex_index, net)));
//
// Vertices are the numbers of the places and then of the transitions, in the order of the net; edges are all
// arcs: input, inhibitor and read arcs from the place, output arcs to it. Two arcs between the same nodes are
// two edges. With boost::filtered_graph and FlowArcs the graph is that of the flow of tokens alone.
//
// The arcs of a transition are stored together. Those of a place are found by a search of all arcs of the
// net, so an algorithm that visits every vertex takes O(places * arcs). That is negligible for nets of some
// thousand nodes; for larger ones boost_graph() makes a copy in which every vertex has a list of its edges.

namespace warpnet {

/// An arc as an edge: its position in Net::arcs().
struct NetEdge {
    std::size_t arc = 0;
    auto operator<=>(const NetEdge&) const = default;  // NOLINT(modernize-use-nullptr): false alarm
};

/// The vertices of a net: places, then transitions, both in the order of the net.
inline std::size_t vertex_of(PlaceId place) noexcept { return index(place); }
inline std::size_t vertex_of(const Net& net, TransitionId transition) noexcept {
    return net.places().size() + index(transition);
}
inline bool is_place(const Net& net, std::size_t vertex) noexcept { return vertex < net.places().size(); }

inline std::size_t source(NetEdge edge, const Net& net) {
    const Arc& arc = net.arcs()[edge.arc];
    return arc.kind == ArcKind::output ? vertex_of(net, arc.transition) : vertex_of(arc.place);
}
inline std::size_t target(NetEdge edge, const Net& net) {
    const Arc& arc = net.arcs()[edge.arc];
    return arc.kind == ArcKind::output ? vertex_of(arc.place) : vertex_of(net, arc.transition);
}

/// For boost::filtered_graph(net, FlowArcs(net)): without inhibitor and read arcs.
class FlowArcs {
  public:
    FlowArcs() = default;
    explicit FlowArcs(const Net& net) : net_(&net) {}
    bool operator()(NetEdge edge) const {
        const ArcKind kind = net_->arcs()[edge.arc].kind;
        return kind == ArcKind::input || kind == ArcKind::output;
    }

  private:
    const Net* net_ = nullptr;
};

namespace net_graph {

/// The end of an edge that is the queried vertex.
enum class End : std::uint8_t { source, target };

/// Visits the arcs from `at` to `last` that leave (enter) a vertex.
template <End end>
class EdgesAt : public boost::iterator_facade<EdgesAt<end>, NetEdge, boost::forward_traversal_tag, NetEdge> {
  public:
    EdgesAt() = default;
    EdgesAt(const Net& net, std::size_t vertex, std::size_t at, std::size_t last)
        : net_(&net), vertex_(vertex), at_(at), last_(last) {
        find();
    }

  private:
    friend class boost::iterator_core_access;

    NetEdge dereference() const { return {at_}; }
    bool equal(const EdgesAt& other) const { return at_ == other.at_; }
    void increment() {
        ++at_;
        find();
    }
    void find() {
        while (at_ < last_ && vertex_at_end() != vertex_) ++at_;
    }
    std::size_t vertex_at_end() const {
        return end == End::source ? source(NetEdge{at_}, *net_) : target(NetEdge{at_}, *net_);
    }

    const Net* net_ = nullptr;
    std::size_t vertex_ = 0;
    std::size_t at_ = 0;
    std::size_t last_ = 0;
};

template <End end>
std::pair<EdgesAt<end>, EdgesAt<end>> edges_at(std::size_t vertex, const Net& net) {
    std::size_t first = 0;
    std::size_t last = net.arcs().size();
    if (!is_place(net, vertex)) {
        const auto arcs = net.arcs_of(TransitionId(vertex - net.places().size()));
        first = static_cast<std::size_t>(arcs.data() - net.arcs().data());
        last = first + arcs.size();
    }
    return {EdgesAt<end>(net, vertex, first, last), EdgesAt<end>(net, vertex, last, last)};
}

struct Traversal : virtual boost::bidirectional_graph_tag,
                   virtual boost::adjacency_graph_tag,
                   virtual boost::vertex_list_graph_tag,
                   virtual boost::edge_list_graph_tag {};

/// The arc at a position as an edge.
struct AsEdge {
    NetEdge operator()(std::size_t arc) const noexcept { return {arc}; }
};

/// The vertex that an edge leads to.
struct Target {
    const Net* net = nullptr;
    std::size_t operator()(NetEdge edge) const { return target(edge, *net); }
};

/// The number of an edge, from 0.
struct EdgeIndex {
    using key_type = NetEdge;
    using value_type = std::size_t;
    using reference = std::size_t;
    using category = boost::readable_property_map_tag;
};
inline std::size_t get(EdgeIndex, NetEdge edge) noexcept { return edge.arc; }

}  // namespace net_graph
}  // namespace warpnet

namespace boost {

template <>
struct graph_traits<warpnet::Net> {
    using vertex_descriptor = std::size_t;
    using edge_descriptor = warpnet::NetEdge;
    using directed_category = bidirectional_tag;
    using edge_parallel_category = allow_parallel_edge_tag;
    using traversal_category = warpnet::net_graph::Traversal;
    using vertices_size_type = std::size_t;
    using edges_size_type = std::size_t;
    using degree_size_type = std::size_t;
    using vertex_iterator = counting_iterator<std::size_t>;
    using edge_iterator = transform_iterator<warpnet::net_graph::AsEdge, counting_iterator<std::size_t>>;
    using out_edge_iterator = warpnet::net_graph::EdgesAt<warpnet::net_graph::End::source>;
    using in_edge_iterator = warpnet::net_graph::EdgesAt<warpnet::net_graph::End::target>;
    using adjacency_iterator = transform_iterator<warpnet::net_graph::Target, out_edge_iterator>;
    static vertex_descriptor null_vertex() { return static_cast<std::size_t>(-1); }
};

template <>
struct property_map<warpnet::Net, vertex_index_t> {
    using const_type = typed_identity_property_map<std::size_t>;
    using type = const_type;
};
template <>
struct property_map<warpnet::Net, edge_index_t> {
    using const_type = warpnet::net_graph::EdgeIndex;
    using type = const_type;
};

}  // namespace boost

// The functions that Boost's algorithms call, found as members of the namespace of Net.
namespace warpnet {

using NetGraphTraits = boost::graph_traits<Net>;

inline std::size_t num_vertices(const Net& net) noexcept {
    return net.places().size() + net.transitions().size();
}
inline std::size_t num_edges(const Net& net) noexcept { return net.arcs().size(); }

inline std::pair<NetGraphTraits::vertex_iterator, NetGraphTraits::vertex_iterator> vertices(const Net& net) {
    return {NetGraphTraits::vertex_iterator(0), NetGraphTraits::vertex_iterator(num_vertices(net))};
}
inline std::pair<NetGraphTraits::edge_iterator, NetGraphTraits::edge_iterator> edges(const Net& net) {
    const auto at = [](std::size_t arc) {
        return NetGraphTraits::edge_iterator(boost::counting_iterator<std::size_t>(arc), net_graph::AsEdge{});
    };
    return {at(0), at(num_edges(net))};
}

/// For a transition this reads its own arcs, for a place all arcs of the net; the same applies to the
/// functions below.
inline std::pair<NetGraphTraits::out_edge_iterator, NetGraphTraits::out_edge_iterator> out_edges(
    std::size_t vertex, const Net& net) {
    return net_graph::edges_at<net_graph::End::source>(vertex, net);
}
inline std::pair<NetGraphTraits::in_edge_iterator, NetGraphTraits::in_edge_iterator> in_edges(
    std::size_t vertex, const Net& net) {
    return net_graph::edges_at<net_graph::End::target>(vertex, net);
}
inline std::pair<NetGraphTraits::adjacency_iterator, NetGraphTraits::adjacency_iterator> adjacent_vertices(
    std::size_t vertex, const Net& net) {
    const auto [first, last] = out_edges(vertex, net);
    return {NetGraphTraits::adjacency_iterator(first, net_graph::Target{&net}),
            NetGraphTraits::adjacency_iterator(last, net_graph::Target{&net})};
}
inline std::size_t out_degree(std::size_t vertex, const Net& net) {
    const auto [first, last] = out_edges(vertex, net);
    return static_cast<std::size_t>(std::distance(first, last));
}
inline std::size_t in_degree(std::size_t vertex, const Net& net) {
    const auto [first, last] = in_edges(vertex, net);
    return static_cast<std::size_t>(std::distance(first, last));
}
inline std::size_t degree(std::size_t vertex, const Net& net) {
    return out_degree(vertex, net) + in_degree(vertex, net);
}

inline boost::typed_identity_property_map<std::size_t> get(boost::vertex_index_t, const Net&) { return {}; }
inline std::size_t get(boost::vertex_index_t, const Net&, std::size_t vertex) noexcept { return vertex; }
inline net_graph::EdgeIndex get(boost::edge_index_t, const Net&) { return {}; }
inline std::size_t get(boost::edge_index_t, const Net&, NetEdge edge) noexcept { return edge.arc; }

// Copies of nets and state graphs as graphs of the Boost Graph Library. All of its algorithms that do not
// change the graph can run on them, such as strong components, dominators, topological orders and shortest
// paths.
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

/// The bipartite graph of places and transitions, with the vertices of the net. Two arcs between the
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
inline BoostGraph boost_graph(const states::StepGraph& graph) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    pairs.reserve(graph.edges());
    for (std::uint32_t state = 0; state < graph.size(); ++state) {
        for (const std::uint32_t target : graph.targets(state)) pairs.emplace_back(state, target);
    }
    return BoostGraph(boost::edges_are_unsorted_multi_pass, pairs.begin(), pairs.end(), graph.size());
}

}  // namespace warpnet
