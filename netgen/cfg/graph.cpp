// Converts a control-flow graph into a structured one. Loops are found first (Havlak's algorithm on a
// depth-first tree). Inner loops are then converted before outer ones; within a loop or the whole graph, the
// join of a branch is its immediate post-dominator. A bounded loop is replaced by one straight iteration with
// multiplied times, which is exact for the WCET. Copying nodes shared by two branches was rejected, because
// it is not exact here (graph.hpp).
//
// Cost: loops take nearly linear time with merged sets of nodes. Post-dominators come from Boost's algorithm
// of [Lengauer79], once per region. A region has its own nodes, and one part for each inner loop, so all
// regions together have O(nodes + edges) parts. The blocks of a loop are copied into the sequence around it,
// which costs O(nodes) per level of nesting. Memory is O(nodes + edges). There is no recursion, because a
// file decides the depth of branches.

#include "netgen/cfg/graph.hpp"

#include "engine/base/capped.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>

namespace warpnet::netgen {
namespace {

// Branches with known behaviour of lanes. The else of an `if` is laid out as a second one-sided branch behind
// the first one. Both become one branch with two sides. A uniform branch is no branch for splits, so its
// longer side is put in line. Both conversions need only the order of siblings, so each block is visited
// once, without recursion. A uniform branch takes e(b) + max(t(l, u), t(r, u)), which has no form in a
// structured graph unless both sides are constants.

bool one_sided(const CfgBlock& block) { return block.true_side.empty() != block.false_side.empty(); }

/// Pairs the branches of one sequence. `is_else(block)`: whether a branch may be the second of a pair.
template <class IsElse>
void pair_branches(std::vector<CfgBlock>& blocks, std::span<const BlockId> sequence, IsElse is_else) {
    for (std::size_t i = 0; i + 1 < sequence.size(); ++i) {
        CfgBlock& branch = blocks[index(sequence[i])];
        CfgBlock& flow = blocks[index(sequence[i + 1])];
        if (!one_sided(branch) || !one_sided(flow) || !is_else(sequence[i + 1])) continue;
        std::vector<BlockId>& empty = branch.true_side.empty() ? branch.true_side : branch.false_side;
        std::vector<BlockId>& other = flow.true_side.empty() ? flow.false_side : flow.true_side;
        empty.swap(other);
        ++i;
    }
}

template <class IsElse>
StructuredCfg paired(const StructuredCfg& cfg, IsElse is_else) {
    std::vector<CfgBlock> blocks(cfg.blocks().begin(), cfg.blocks().end());
    pair_branches(blocks, cfg.root(), is_else);
    // The original sides suffice, since a pair exchanges whole sequences.
    for (const CfgBlock& block : cfg.blocks()) {
        pair_branches(blocks, block.true_side, is_else);
        pair_branches(blocks, block.false_side, is_else);
    }
    return StructuredCfg(std::move(blocks), {cfg.root().begin(), cfg.root().end()});
}

/// Puts the longer sides of uniform branches in line.
class UniformBranches {
  public:
    UniformBranches(const StructuredCfg& cfg, const std::vector<bool>& uniform)
        : cfg_(cfg), in_line_(cfg.size(), false), time_(cfg.size(), 0) {
        const auto order = cfg.program_order();
        for (auto b = order.rbegin(); b != order.rend(); ++b) {
            const CfgBlock& block = cfg[*b];
            const bool straight = is_straight(block.true_side) && is_straight(block.false_side);
            in_line_[index(*b)] = straight && (!block.is_branch() || uniform[index(*b)]);
            time_[index(*b)] = block.time + std::max(time_of(block.true_side), time_of(block.false_side));
        }
    }

    StructuredCfg result() {
        std::vector<BlockId> root;
        pending_.push_back({cfg_.root(), 0, &root});
        sides_.resize(cfg_.size());
        while (!pending_.empty()) {
            Rest& rest = pending_.back();
            if (rest.next == rest.sequence.size()) {
                pending_.pop_back();
                continue;
            }
            take(rest.sequence[rest.next++], *rest.to);
        }
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            blocks_[b].true_side = std::move(sides_[b][0]);
            blocks_[b].false_side = std::move(sides_[b][1]);
        }
        return StructuredCfg(std::move(blocks_), std::move(root));
    }

  private:
    /// The rest of a sequence, and the sequence that receives its blocks.
    struct Rest {
        std::span<const BlockId> sequence;
        std::size_t next;
        std::vector<BlockId>* to;
    };

    bool is_straight(const std::vector<BlockId>& side) const {
        return std::all_of(side.begin(), side.end(), [&](BlockId b) { return in_line_[index(b)]; });
    }
    std::int64_t time_of(const std::vector<BlockId>& side) const {
        std::int64_t sum = 0;
        for (const BlockId b : side) sum += time_[index(b)];
        return sum;
    }

    void take(BlockId id, std::vector<BlockId>& to) {
        const CfgBlock& block = cfg_[id];
        const std::size_t number = blocks_.size();
        to.push_back(BlockId{static_cast<std::uint32_t>(number)});
        blocks_.push_back({block.id, block.time});
        if (!block.is_branch()) return;
        if (in_line_[index(id)]) {
            const bool first = time_of(block.true_side) >= time_of(block.false_side);
            pending_.push_back({first ? block.true_side : block.false_side, 0, &to});
            return;
        }
        pending_.push_back({block.false_side, 0, &sides_[number][1]});
        pending_.push_back({block.true_side, 0, &sides_[number][0]});
    }

    const StructuredCfg& cfg_;
    std::vector<bool> in_line_;       // it contains no branch that may part
    std::vector<std::int64_t> time_;  // of such a block with all blocks nested in it
    std::vector<Rest> pending_;
    std::vector<CfgBlock> blocks_;
    std::vector<std::array<std::vector<BlockId>, 2>> sides_;
};

}  // namespace

std::string_view to_string(CfgLanes lanes) {
    constexpr std::array<std::string_view, 4> names = {"", "uniform", "divergent", "else"};
    return names[static_cast<std::size_t>(lanes)];
}

StructuredCfg with_else_sides(const StructuredCfg& cfg) {
    return paired(cfg, [](BlockId) { return true; });
}

StructuredCfg with_lanes(const StructuredCfg& cfg, std::span<const CfgLanes> lanes) {
    const auto is = [&](BlockId b, CfgLanes which) {
        return index(b) < lanes.size() && lanes[index(b)] == which;
    };
    StructuredCfg two_sided = paired(cfg, [&](BlockId b) { return is(b, CfgLanes::others); });
    std::vector<bool> uniform(cfg.size(), false);
    for (std::uint32_t b = 0; b < cfg.size(); ++b) uniform[b] = is(BlockId{b}, CfgLanes::uniform);
    if (std::find(uniform.begin(), uniform.end(), true) == uniform.end()) return two_sided;
    return UniformBranches(two_sided, uniform).result();
}

namespace {

using Node = std::size_t;

// A depth-first tree from the entry, with the times at which each node is discovered and finished.
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
    std::vector<std::pair<Node, std::size_t>> path;  // a node and its next successor to visit
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
                if (tree_.is_ancestor(body[i], before))
                    continue;  // the back edge of the loop of body[i] itself
                if (!tree_.is_ancestor(header, outermost(before))) {
                    throw InputError("edge '" + id(before) + "' -> '" + id(body[i]) +
                                     "' is not structured: it enters the loop headed by '" + id(header) +
                                     "' past its header");
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

std::vector<std::size_t> immediate_dominators(std::size_t nodes, const std::vector<CfgEdge>& edges,
                                              std::size_t root) {
    boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS> graph(nodes);
    for (const CfgEdge edge : edges) boost::add_edge(edge.from, edge.to, graph);
    // The shorter form of Boost 1.74, without these maps, is wrong if a node cannot be reached.
    std::vector<std::size_t> number(nodes, SIZE_MAX), parent(number), by_number(number), dominator(number);
    const auto by_node = boost::get(boost::vertex_index, graph);
    const auto map = [&](auto& values) { return boost::make_iterator_property_map(values.begin(), by_node); };
    boost::lengauer_tarjan_dominator_tree(graph, root, by_node, map(number), map(parent), by_number,
                                          map(dominator));
    return dominator;
}

namespace {

using Node = std::size_t;

// A substitute for a source node: the end of a branch, at which both sides end.
constexpr Node several = SIZE_MAX;

std::string text(const ControlFlowGraph& graph, CfgEdge edge) {
    return "edge '" + graph.nodes[edge.from].id + "' -> '" + graph.nodes[edge.to].id + "'";
}

void check_nodes(const ControlFlowGraph& graph) {
    const std::size_t n = graph.nodes.size();
    if (n == 0) throw InputError("a control-flow graph without nodes, expected at least one");
    if (n > max_cfg_nodes) {
        throw InputError("a control-flow graph of " + std::to_string(n) + " nodes, expected at most " +
                         std::to_string(max_cfg_nodes));
    }
    for (const CfgNode& node : graph.nodes) {
        if (node.successors.size() > 2) {
            throw InputError("node '" + node.id + "' has " + std::to_string(node.successors.size()) +
                             " successors, expected at most 2; write a branch of more ways as a chain of "
                             "two-way branches");
        }
        for (const Node next : node.successors) {
            if (next >= n) {
                throw InputError("node '" + node.id + "' names node index " + std::to_string(next) + " of " +
                                 std::to_string(n));
            }
        }
        if (node.loop_bound && *node.loop_bound < 1) {
            throw InputError("node '" + node.id + "' has loop bound " + std::to_string(*node.loop_bound) +
                             ", expected 1 or more");
        }
    }
}

void check_bounds(const ControlFlowGraph& graph, const LoopForest& loops) {
    for (Node node = 0; node < graph.nodes.size(); ++node) {
        const std::string named = "node '" + graph.nodes[node].id + "'";
        const bool bounded = graph.nodes[node].loop_bound.has_value();
        if (bounded && !loops.is_header[node])
            throw InputError(named + " has a loop bound but heads no loop");
        if (!bounded && loops.is_header[node])
            throw InputError(named + " heads a loop without a bound, expected loop=N");
    }
}

// The number of runs of a block. A product that does not fit becomes the largest number, which is invalid for
// a block with a time.
constexpr std::int64_t too_often = std::numeric_limits<std::int64_t>::max();

std::int64_t total_time(const CfgNode& node, std::int64_t runs) {
    if (node.time == 0 || runs == 0) return 0;
    if (runs == too_often || node.time > too_often / runs) {
        throw InputError("node '" + node.id + "': its time " + std::to_string(node.time) +
                         " in every iteration of the loops around it overflows");
    }
    return node.time * runs;
}

// Converts regions (a loop without its back edges, or the whole graph) into sequences of blocks, inner loops
// first.
class Structurer {
  public:
    explicit Structurer(const ControlFlowGraph& graph)
        : graph_(graph),
          loops_(find_loops(graph)),
          blocks_(graph.nodes.size()),
          factor_(graph.nodes.size(), 1),
          visited_(graph.nodes.size(), false),
          local_(graph.nodes.size()),
          loop_exit_(graph.nodes.size()),
          loop_blocks_(graph.nodes.size()) {
        check_bounds(graph, loops_);
        members_.resize(graph.nodes.size() + 1);
        for (Node node = 0; node < graph.nodes.size(); ++node)
            members_[loops_.around[node].value_or(whole_graph())].push_back(node);
    }

    StructuredCfg run() {
        for (const Node header : loops_.headers) lay_loop(header);
        std::vector<BlockId> root = lay_region(whole_graph(), 0);
        multiply_times(root);
        return StructuredCfg(std::move(blocks_), std::move(root));
    }

  private:
    // A part of a region: one node, or a whole inner loop, represented by its header.
    struct Part {
        Node node;
        bool is_loop;
        std::vector<std::size_t> next = {};  // parts of the region; the number of parts represents its end
        std::vector<Node> next_from = {};    // the sources of these edges
    };

    struct Region {
        std::vector<Part> parts;
        std::vector<CfgEdge> exits;   // edges that leave the loop
        std::vector<Node> join = {};  // per part
        std::size_t end() const { return parts.size(); }
    };

    // Blocks from part `start` up to the part `stop`, to be added to a sequence. `from` is the preceding
    // node.
    struct Task {
        std::vector<BlockId>* sequence;
        std::size_t start;
        std::size_t stop;
        Node from;
    };

    std::size_t whole_graph() const { return graph_.nodes.size(); }

    void lay_loop(Node header) {
        std::vector<BlockId> sequence = lay_region(header, header);
        const std::vector<CfgEdge>& exits = region_.exits;
        if (exits.empty())
            throw InputError("the loop headed by '" + graph_.nodes[header].id + "' has no way out");
        std::unordered_map<Node, std::size_t> position;
        for (std::size_t i = 0; i < sequence.size(); ++i) position[index(sequence[i])] = i;
        std::size_t with_exit = 0;  // the number of blocks up to the last one that can leave the loop
        for (const CfgEdge exit : exits) {
            if (exit.to != exits.front().to) {
                throw InputError(text(graph_, exit) + " is not structured: it leaves the loop headed by '" +
                                 graph_.nodes[header].id + "' to another place than " +
                                 text(graph_, exits.front()));
            }
            const auto found = position.find(exit.from);
            if (found == position.end()) {
                throw InputError(text(graph_, exit) + " is not structured: it leaves the loop headed by '" +
                                 graph_.nodes[header].id + "' from inside a branch");
            }
            with_exit = std::max(with_exit, found->second + 1);
        }
        const std::int64_t bound = *graph_.nodes[header].loop_bound;
        for (std::size_t i = 0; i < sequence.size(); ++i) {
            std::int64_t& factor = factor_[index(sequence[i])];
            factor = capped_product(factor, i < with_exit ? bound : bound - 1);
        }
        loop_exit_[header] = exits.front();
        loop_blocks_[header] = std::move(sequence);
    }

    std::vector<BlockId> lay_region(std::size_t region, Node start) {
        find_parts(region, start);
        std::vector<BlockId> spine;
        std::vector<Task> tasks = {{&spine, local_[start], region_.end(), start}};
        while (!tasks.empty()) {
            const Task task = tasks.back();
            tasks.pop_back();
            lay(task, tasks);
        }
        return spine;
    }

    void find_parts(std::size_t region, Node start) {
        region_ = {};
        if (region != whole_graph()) region_.parts.push_back({start, false});
        for (const Node node : members_[region]) region_.parts.push_back({node, loops_.is_header[node]});
        for (std::size_t i = 0; i < region_.parts.size(); ++i) {
            local_[region_.parts[i].node] = i;
            visited_[region_.parts[i].node] = false;
        }
        std::vector<CfgEdge> turned;
        for (std::size_t i = 0; i < region_.parts.size(); ++i) {
            connect(region, i);
            for (const std::size_t next : region_.parts[i].next) turned.push_back({next, i});
        }
        region_.join = immediate_dominators(region_.end() + 1, turned, region_.end());
    }

    void connect(std::size_t region, std::size_t i) {
        Part& part = region_.parts[i];
        const auto lead_to = [&](std::size_t next, Node from) {
            if (std::find(part.next.begin(), part.next.end(), next) != part.next.end()) return;
            part.next.push_back(next);
            part.next_from.push_back(from);
        };
        const auto add = [&](CfgEdge edge) {
            if (edge.to == region) {
                lead_to(region_.end(), edge.from);
            } else if (loops_.around[edge.to].value_or(whole_graph()) == region) {
                lead_to(local_[edge.to], edge.from);
            } else {
                region_.exits.push_back(edge);
            }
        };
        if (part.is_loop) {
            add(loop_exit_[part.node]);
            return;
        }
        for (const Node next : graph_.nodes[part.node].successors) add({part.node, next});
        if (graph_.nodes[part.node].successors.empty()) lead_to(region_.end(), part.node);
    }

    void lay(Task task, std::vector<Task>& tasks) {
        Node from = task.from;
        for (std::size_t at = task.start; at != task.stop;) {
            const Part& part = region_.parts[at];
            if (visited_[part.node]) refuse_shared(at, from);
            visited_[part.node] = true;
            if (part.is_loop) {
                const std::vector<BlockId>& blocks = loop_blocks_[part.node];
                task.sequence->insert(task.sequence->end(), blocks.begin(), blocks.end());
            } else {
                task.sequence->push_back(BlockId(part.node));
            }
            if (part.next.size() < 2) {
                from = part.next_from.front();
                at = part.next.front();
                continue;
            }
            CfgBlock& block = blocks_[part.node];
            const std::size_t join = region_.join[at];
            tasks.push_back({&block.false_side, part.next[1], join, part.node});
            tasks.push_back({&block.true_side, part.next[0], join, part.node});
            from = several;
            at = join;
        }
    }

    // Reports a part that two different sequences reach.
    [[noreturn]] void refuse_shared(std::size_t at, Node from) const {
        std::vector<Node> sources;
        for (const Part& part : region_.parts) {
            for (std::size_t i = 0; i < part.next.size(); ++i)
                if (part.next[i] == at) sources.push_back(part.next_from[i]);
        }
        const Node blamed = from == several ? sources.back() : from;
        const Node target = region_.parts[at].node;
        std::string message = text(graph_, {blamed, target}) + " is not structured: '" +
                              graph_.nodes[target].id +
                              "' is no join of whole branches, it is also reached from ";
        const auto other =
            std::find_if(sources.begin(), sources.end(), [&](Node node) { return node != blamed; });
        throw InputError(message +
                         (other == sources.end() ? "elsewhere" : "'" + graph_.nodes[*other].id + "'"));
    }

    // Multiplies the times inside branches by the factors of the loops around them.
    void multiply_times(const std::vector<BlockId>& root) {
        std::vector<BlockId> pending = root;
        while (!pending.empty()) {
            const Node node = index(pending.back());
            pending.pop_back();
            CfgBlock& block = blocks_[node];
            for (const auto* side : {&block.true_side, &block.false_side}) {
                for (const BlockId inner : *side)
                    factor_[index(inner)] = capped_product(factor_[index(inner)], factor_[node]);
                pending.insert(pending.end(), side->begin(), side->end());
            }
            block.id = graph_.nodes[node].id;
            block.time = total_time(graph_.nodes[node], factor_[node]);
        }
    }

    const ControlFlowGraph& graph_;
    LoopForest loops_;
    std::vector<std::vector<Node>>
        members_;  // by the header of the innermost loop; the last row has the nodes outside loops
    std::vector<CfgBlock> blocks_;
    std::vector<std::int64_t> factor_;  // the number of runs of the block per run of the enclosing sequence
    std::vector<bool> visited_;
    std::vector<std::size_t> local_;  // position among the parts of the current region
    std::vector<CfgEdge> loop_exit_;
    std::vector<std::vector<BlockId>> loop_blocks_;
    Region region_;
};

}  // namespace

StructuredCfg structure(const ControlFlowGraph& graph) {
    check_nodes(graph);
    std::vector<CfgLanes> lanes;
    lanes.reserve(graph.nodes.size());
    for (const CfgNode& node : graph.nodes) lanes.push_back(node.lanes);
    return with_lanes(Structurer(graph).run(), lanes);
}

}  // namespace warpnet::netgen
