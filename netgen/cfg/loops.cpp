#include "netgen/cfg/loops.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace warpnet {

namespace {

using Node = std::size_t;

// A depth-first tree from the entry: when each node was discovered and when everything below it was finished.
struct DepthFirst {
    std::vector<std::size_t> discovered;
    std::vector<std::size_t> finished;
    std::vector<Node> order;  // by discovery

    bool is_ancestor(Node above, Node below) const {
        return discovered[above] <= discovered[below] && finished[below] <= finished[above];
    }
};

DepthFirst depth_first(const ControlFlowGraph& graph) {
    constexpr std::size_t never = SIZE_MAX;
    const std::size_t n = graph.nodes.size();
    DepthFirst tree{std::vector<std::size_t>(n, never), std::vector<std::size_t>(n, never), {}};
    std::size_t clock = 0;
    std::vector<std::pair<Node, std::size_t>> path;  // a node and the successor to look at next
    const auto enter = [&](Node node) {
        tree.discovered[node] = clock++;
        tree.order.push_back(node);
        path.emplace_back(node, 0);
    };
    enter(0);
    while (!path.empty()) {
        const Node node = path.back().first;
        const std::vector<Node>& successors = graph.nodes[node].successors;
        if (path.back().second == successors.size()) {
            tree.finished[node] = clock++;
            path.pop_back();
            continue;
        }
        const Node next = successors[path.back().second++];
        if (tree.discovered[next] == never) enter(next);
    }
    for (Node node = 0; node < n; ++node) {
        if (tree.discovered[node] == never) {
            throw InputError("node '" + graph.nodes[node].id + "' cannot be reached from the entry '" +
                             graph.nodes[0].id + "'");
        }
    }
    return tree;
}

class LoopFinder {
  public:
    explicit LoopFinder(const ControlFlowGraph& graph)
        : graph_(graph),
          tree_(depth_first(graph)),
          predecessors_(graph.nodes.size()),
          merged_(graph.nodes.size()) {
        for (Node node = 0; node < graph.nodes.size(); ++node) {
            merged_[node] = node;
            for (const Node next : graph.nodes[node].successors) predecessors_[next].push_back(node);
        }
        forest_.is_header.resize(graph.nodes.size(), false);
        forest_.around.resize(graph.nodes.size());
    }

    LoopForest find() {
        // A header is discovered before the headers inside its loop.
        for (auto node = tree_.order.rbegin(); node != tree_.order.rend(); ++node) collect(*node);
        return std::move(forest_);
    }

  private:
    // The outermost header found so far around a node, or the node itself.
    Node outermost(Node node) {
        while (merged_[node] != node) node = merged_[node] = merged_[merged_[node]];
        return node;
    }

    void collect(Node header) {
        std::vector<Node> body;
        const auto add = [&](Node node) {
            const Node part = outermost(node);
            if (part == header || forest_.around[part] == header) return;
            forest_.around[part] = header;
            body.push_back(part);
        };
        for (const Node latch : predecessors_[header]) {
            if (!tree_.is_ancestor(header, latch)) continue;
            forest_.is_header[header] = true;
            add(latch);
        }
        if (!forest_.is_header[header]) return;
        forest_.headers.push_back(header);
        for (std::size_t i = 0; i < body.size(); ++i) {
            for (const Node before : predecessors_[body[i]]) {
                if (tree_.is_ancestor(body[i], before)) continue;  // closes the loop of body[i] itself
                if (!tree_.is_ancestor(header, outermost(before))) {
                    throw InputError("edge '" + id(before) + "' -> '" + id(body[i]) +
                                     "' is not structured: it enters the loop headed by '" + id(header) +
                                     "' beside its header");
                }
                add(before);
            }
        }
        for (const Node part : body) merged_[part] = header;
    }

    const std::string& id(Node node) const { return graph_.nodes[node].id; }

    const ControlFlowGraph& graph_;
    DepthFirst tree_;
    std::vector<std::vector<Node>> predecessors_;
    std::vector<Node> merged_;
    LoopForest forest_;
};

}  // namespace

LoopForest find_loops(const ControlFlowGraph& graph) { return LoopFinder(graph).find(); }

}  // namespace warpnet
