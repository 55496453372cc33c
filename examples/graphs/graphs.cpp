// Algorithms of the Boost Graph Library on a net and on its state graph. Strong components find the cycles of
// a warp, dominators the nodes that every path passes, and a topological order the longest run of two warps.
// The program fails if an answer is not the known one.

#include <algorithm>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/graph/topological_sort.hpp>
#include <boost/range/iterator_range.hpp>
#include <warpnet/explore.hpp>
#include <warpnet/families.hpp>

using namespace warpnet;
using Numbers = std::vector<std::size_t>;

std::string name_of(const Net& net, std::size_t vertex) {
    if (is_place(net, vertex)) return net.places()[vertex].id;
    return net.transitions()[vertex - net.places().size()].id;
}

/// Prints the strong components. Components of more than one node are the cycles of the net.
std::size_t print_rings(const Net& net) {
    Numbers component(num_vertices(net));
    const std::size_t count = boost::strong_components(
        net, boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, net)));
    Numbers size(count, 0);
    for (const std::size_t c : component) ++size[c];
    const std::size_t rings = static_cast<std::size_t>(
        std::count_if(size.begin(), size.end(), [](std::size_t nodes) { return nodes > 1; }));
    std::cout << "strong components: " << count << ", " << rings << " of them rings; the largest has "
              << *std::max_element(size.begin(), size.end()) << " of " << num_vertices(net) << " nodes\n";
    return rings;
}

/// The nodes on every path of a token from one node to another, along flow arcs only.
std::string print_dominators(const Net& net, std::size_t from, std::size_t to) {
    const boost::filtered_graph<Net, FlowArcs> flow(net, FlowArcs(net));
    const std::size_t none = boost::graph_traits<Net>::null_vertex();
    Numbers dominator(num_vertices(net), none), number(dominator), parent(dominator), by_number(dominator);
    const auto map = [&](Numbers& values) {
        return boost::make_iterator_property_map(values.begin(), get(boost::vertex_index, net));
    };
    boost::lengauer_tarjan_dominator_tree(flow, from, get(boost::vertex_index, net), map(number), map(parent),
                                          by_number, map(dominator));
    std::string way = name_of(net, to);
    for (std::size_t d = dominator[to]; d != none; d = dominator[d]) way.insert(0, name_of(net, d) + " ");
    std::cout << "every way passes: " << way << '\n';
    return way;
}

/// Edges on the longest path through the state graph, which has no cycles.
std::uint64_t longest_way(const StepGraph& states) {
    const BoostGraph graph = boost_graph(states);
    Numbers last_first;
    boost::topological_sort(graph, std::back_inserter(last_first));
    std::vector<std::uint64_t> steps(num_vertices(graph), 0);
    for (const std::size_t state : last_first) {
        for (const std::size_t next : boost::make_iterator_range(adjacent_vertices(state, graph)))
            steps[state] = std::max(steps[state], steps[next] + 1);
    }
    return steps[states.initial()];
}

int main() {
    WarpsSpec spec;
    spec.warps = {{2, 1, 0}, {2, 1, 0}};
    const Net net = warps_net(spec);
    const NodeIndex nodes(net);
    const std::size_t rings = print_rings(net);
    const std::string way = print_dominators(net, vertex_of(*nodes.place("w1_shared_next")),
                                             vertex_of(*nodes.place("w1_shared_done")));

    const CompiledNet compiled = compile(net);
    ExploreOptions options;
    options.semantics = Semantics::maximal;
    const Exploration explored = explore(compiled, options);
    const auto states = step_graph(compiled, options, explored);
    if (!states) return 1;
    const std::uint64_t longest = longest_way(*states);
    std::cout << states->size() << " states; the longest way through them has " << longest << " steps\n";
    return rings == 1 &&
                   way == "w1_shared_next w1_shared_run w1_shared_wait w1_shared_access w1_shared_done" &&
                   longest == 16
               ? 0
               : 1;
}
