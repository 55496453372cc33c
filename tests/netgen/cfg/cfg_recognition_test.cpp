// The graphs that structure() accepts, judged by rewriting: a graph is a nest of sequences and branches
// exactly if these reductions leave a single node.

#include "engine/base/random.hpp"
#include "netgen/cfg/graph.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/case_count.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

using Node = std::size_t;

// Successors and predecessors of the remaining nodes; node n is the common exit.
class Reduction {
  public:
    explicit Reduction(const netgen::ControlFlowGraph& graph)
        : next_(graph.nodes.size() + 1), before_(next_.size()) {
        const Node out = graph.nodes.size();
        for (Node node = 0; node < out; ++node) {
            for (const Node to : graph.nodes[node].successors) link(node, to);
            if (graph.nodes[node].successors.empty()) link(node, out);
        }
        left_ = next_.size();
    }

    bool to_single_node() {
        while (left_ > 1 && reduce_once()) {
        }
        return left_ == 1;
    }

  private:
    void link(Node from, Node to) {
        next_[from].insert(to);
        before_[to].insert(from);
    }
    void unlink(Node from, Node to) {
        next_[from].erase(to);
        before_[to].erase(from);
    }

    bool reduce_once() {
        for (Node a = 0; a < next_.size(); ++a) {
            for (const Node b : next_[a]) {
                if (before_[b].size() != 1) continue;
                if (next_[a].size() == 1) {  // a; b becomes one node
                    unlink(a, b);
                    const std::set<Node> after = next_[b];
                    for (const Node c : after) {
                        unlink(b, c);
                        link(a, c);
                    }
                } else if (next_[b].size() == 1 &&
                           joins(a, b, *next_[b].begin())) {  // a side of a goes into the edge
                    const Node join = *next_[b].begin();
                    unlink(a, b);
                    unlink(b, join);
                    link(a, join);
                } else {
                    continue;
                }
                --left_;
                return true;
            }
        }
        return false;
    }

    // The second side of a also leads to the join: directly, or through one node of its own.
    bool joins(Node a, Node side, Node join) const {
        for (const Node other : next_[a]) {
            if (other == side) continue;
            if (other != join && (before_[other].size() != 1 || next_[other] != std::set<Node>{join}))
                return false;
        }
        return true;
    }

    std::vector<std::set<Node>> next_;
    std::vector<std::set<Node>> before_;
    std::size_t left_;
};

// Up to nine nodes; every edge leads forward, and every node but the first has an incoming edge.
netgen::ControlFlowGraph random_acyclic_graph(std::uint64_t seed) {
    CounterRandom random(seed, 0);
    netgen::ControlFlowGraph graph;
    const std::uint32_t n = 2 + random.below(8);
    for (std::uint32_t node = 0; node < n; ++node)
        graph.nodes.push_back({std::string("n").append(std::to_string(node)), 1});
    for (std::uint32_t node = 1; node < n; ++node) {
        std::vector<Node>& successors = graph.nodes[node - 1 - random.below(std::min(node, 3u))].successors;
        if (successors.size() < 2) successors.push_back(node);
    }
    for (std::uint32_t node = 0; node + 1 < n; ++node) {
        std::vector<Node>& successors = graph.nodes[node].successors;
        if (successors.size() < 2 && random.below(3) > 0)
            successors.push_back(node + 1 + random.below(std::min(n - node - 1, 3u)));
    }
    return graph;
}

std::string refusal(const netgen::ControlFlowGraph& graph) {
    return input_error_of([&] { netgen::structure(graph); });
}

}  // namespace

TEST_CASE("acyclic graphs are taken exactly if they reduce to one node") {
    std::uint64_t taken = 0;
    std::uint64_t refused = 0;
    for (std::uint64_t seed = 0; seed < case_count(20'000); ++seed) {
        const netgen::ControlFlowGraph graph = random_acyclic_graph(seed);
        const std::string message = refusal(graph);
        if (message.find("cannot be reached") != std::string::npos) continue;
        CAPTURE(seed, message);
        REQUIRE(Reduction(graph).to_single_node() == message.empty());
        ++(message.empty() ? taken : refused);
    }
    CHECK(taken >= least_count(2000));
    CHECK(refused >= least_count(2000));
}

TEST_CASE("graphs with arbitrary jumps are taken or refused, and the edge named is one of theirs") {
    std::uint64_t taken = 0;
    std::uint64_t edges_named = 0;
    for (std::uint64_t seed = 0; seed < case_count(20'000); ++seed) {
        CounterRandom random(seed, 7);
        netgen::ControlFlowGraph graph = random_acyclic_graph(seed);
        for (netgen::CfgNode& node : graph.nodes) {
            if (random.below(4) == 0 && node.successors.size() < 2)
                node.successors.push_back(random.below(static_cast<std::uint32_t>(graph.nodes.size())));
        }
        for (netgen::CfgNode& node : graph.nodes) node.loop_bound = 2;
        std::string message = refusal(graph);
        for (netgen::CfgNode& node : graph.nodes) {  // only the heads of loops keep their bound
            if (message == "node '" + node.id + "' has a loop bound but heads no loop") {
                node.loop_bound.reset();
                message = refusal(graph);
            }
        }
        CAPTURE(seed, message);
        if (message.empty()) ++taken;
        if (!message.starts_with("edge ")) continue;
        ++edges_named;
        bool known = false;
        for (const netgen::CfgNode& node : graph.nodes) {
            for (const Node to : node.successors)
                known =
                    known || message.starts_with("edge '" + node.id + "' -> '" + graph.nodes[to].id + "' ");
        }
        CHECK(known);
    }
    CHECK(taken >= least_count(1000));
    CHECK(edges_named >= least_count(1000));
}
