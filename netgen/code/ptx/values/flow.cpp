// Basic blocks, natural loops, and where lanes part. Loops are found in netgen/cfg/graph. Immediate
// dominators and postdominators are computed as in [Cooper01]. The sides of a branch meet again at its
// postdominator. PtxDivergence remembers which blocks each side reaches before: what is written there differs
// between the lanes behind it. Nearly linear for what compilers write.

#include "netgen/code/ptx/values/flow.hpp"

#include "engine/net/error.hpp"
#include "netgen/cfg/graph.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>

namespace warpnet {

namespace {

constexpr std::uint32_t deepest_loop = 1000;
constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

// In machine code other instructions may have targets as well (netgen/code/sass/control_flow.hpp).
bool ends_block(const PtxInstruction& instruction) {
    return instruction.ptx_class == PtxClass::branch || instruction.ptx_class == PtxClass::leave ||
           instruction.target_count > 0;
}

class FlowBuilder {
  public:
    FlowBuilder(const PtxModule& module, const PtxFunction& function)
        : module_(module), function_(function) {}

    PtxFlow build() {
        cut_blocks();
        connect();
        keep_reachable();
        require_targets();
        if (flow_.blocks.size() > max_cfg_nodes) {
            throw InputError(where() + " has " + std::to_string(flow_.blocks.size()) +
                             " basic blocks, expected at most " + std::to_string(max_cfg_nodes));
        }
        flow_.loop_of.resize(flow_.blocks.size());
        if (has_backward_edge()) {
            find_dominators();
            find_loops_of_blocks();
        }
        return std::move(flow_);
    }

  private:
    std::string where() const {
        return module_.source + ":" + std::to_string(function_.line) + ": function '" +
               std::string(function_.name) + "'";
    }

    // A block begins at the entry, at each label that a branch names, and behind each branch.
    void cut_blocks() {
        const auto count = static_cast<std::uint32_t>(function_.instructions.size());
        std::vector<std::optional<std::uint32_t>> label_at(count + 1);
        std::vector<bool> is_named(function_.labels.size(), false);
        for (const std::uint32_t target : function_.targets) is_named[target] = true;
        for (std::uint32_t i = 0; i < function_.labels.size(); ++i) {
            std::optional<std::uint32_t>& there = label_at[function_.labels[i].instruction];
            if (is_named[i] && !there) there = i;
        }
        block_at_.assign(count + 1, none);
        for (std::uint32_t i = 0; i <= count; ++i) {
            const bool begins = i == 0 || label_at[i] || ends_block(function_.instructions[i - 1]);
            if (begins && (i < count || label_at[i] || count == 0)) {
                flow_.blocks.push_back({i, i});
                flow_.blocks.back().label = label_at[i];
            }
            if (begins) block_at_[i] = static_cast<std::uint32_t>(flow_.blocks.size()) - 1;
            if (i < count) ++flow_.blocks.back().last;
        }
    }

    // A way out that is only taken under a guard needs a block of its own to lead to.
    void connect() {
        std::optional<std::uint32_t> way_out;
        const auto count = static_cast<std::uint32_t>(flow_.blocks.size());
        for (std::uint32_t b = 0; b < count; ++b) {
            std::vector<std::uint32_t> next;
            const PtxInstruction* end = nullptr;
            if (flow_.blocks[b].first != flow_.blocks[b].last)
                end = &function_.instructions[flow_.blocks[b].last - 1];
            if (end != nullptr) {
                for (const std::uint32_t target : function_.targets_of(*end))
                    next.push_back(block_at_[function_.labels[target].instruction]);
            }
            const bool leaves = end != nullptr && end->ptx_class == PtxClass::leave;
            if (leaves && end->guard) {
                if (!way_out) {
                    way_out = static_cast<std::uint32_t>(flow_.blocks.size());
                    const auto behind = static_cast<std::uint32_t>(function_.instructions.size());
                    flow_.blocks.push_back({behind, behind});
                }
                next.push_back(*way_out);
            }
            const bool falls_through = end == nullptr || !ends_block(*end) || end->guard.has_value();
            if (falls_through && b + 1 < count) next.push_back(b + 1);
            for (const std::uint32_t to : next) {
                std::vector<std::uint32_t>& successors = flow_.blocks[b].successors;
                if (std::find(successors.begin(), successors.end(), to) == successors.end())
                    successors.push_back(to);
            }
        }
    }

    /// A listing does not show where an indirect branch leads. What comes after it would be missing.
    void require_targets() const {
        for (const PtxBlock& block : flow_.blocks) {
            if (block.first == block.last) continue;
            const PtxInstruction& end = function_.instructions[block.last - 1];
            if (end.ptx_class == PtxClass::branch && end.target_count == 0)
                throw InputError(module_.source + ":" + std::to_string(end.line) + ": function '" +
                                 std::string(function_.name) +
                                 "' has an indirect branch; expected its targets, found a register");
        }
    }

    void keep_reachable() {
        std::vector<std::uint32_t> kept_as(flow_.blocks.size(), none);
        std::vector<std::uint32_t> pending = {0};
        kept_as[0] = 0;
        while (!pending.empty()) {
            const std::uint32_t at = pending.back();
            pending.pop_back();
            for (const std::uint32_t next : flow_.blocks[at].successors) {
                if (kept_as[next] != none) continue;
                kept_as[next] = 0;
                pending.push_back(next);
            }
        }
        std::uint32_t kept = 0;
        for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b) {
            if (kept_as[b] == none) {
                flow_.unreachable_instructions += flow_.blocks[b].last - flow_.blocks[b].first;
            } else {
                kept_as[b] = kept;
                if (kept != b) flow_.blocks[kept] = std::move(flow_.blocks[b]);
                ++kept;
            }
        }
        flow_.blocks.resize(kept);
        for (std::uint32_t b = 0; b < kept; ++b) {
            for (std::uint32_t& next : flow_.blocks[b].successors) {
                next = kept_as[next];
                flow_.blocks[next].predecessors.push_back(b);
            }
        }
    }

    bool has_backward_edge() const {
        for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b)
            for (const std::uint32_t next : flow_.blocks[b].successors)
                if (next <= b) return true;
        return false;
    }

    void find_dominators() {
        using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
        Graph graph(flow_.blocks.size());
        for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b)
            for (const std::uint32_t next : flow_.blocks[b].successors) boost::add_edge(b, next, graph);
        std::vector<std::size_t> above(flow_.blocks.size(), 0);
        boost::lengauer_tarjan_dominator_tree(
            graph, 0,
            boost::make_iterator_property_map(above.begin(), boost::get(boost::vertex_index, graph)));
        flow_.dominator.assign(above.begin(), above.end());
        number_dominators();
    }

    void number_dominators() {
        const auto count = static_cast<std::uint32_t>(flow_.blocks.size());
        std::vector<std::vector<std::uint32_t>> below(count);
        for (std::uint32_t b = 1; b < count; ++b) below[flow_.dominator[b]].push_back(b);
        flow_.dominator_place.assign(count, 0);
        flow_.dominated.assign(count, 1);
        std::vector<std::uint32_t> order, pending = {0};
        while (!pending.empty()) {
            const std::uint32_t block = pending.back();
            pending.pop_back();
            flow_.dominator_place[block] = static_cast<std::uint32_t>(order.size());
            order.push_back(block);
            pending.insert(pending.end(), below[block].begin(), below[block].end());
        }
        for (std::size_t i = order.size(); i-- > 1;)
            flow_.dominated[flow_.dominator[order[i]]] += flow_.dominated[order[i]];
    }

    void find_loops_of_blocks() {
        ControlFlowGraph graph;
        for (const PtxBlock& block : flow_.blocks) {
            CfgNode node{ptx_block_name(function_, block)};
            node.successors.assign(block.successors.begin(), block.successors.end());
            graph.nodes.push_back(std::move(node));
        }
        LoopForest forest;
        try {
            forest = find_loops(graph);
        } catch (const InputError& error) {
            throw InputError(where() + ": " + error.what());
        }
        std::vector<std::uint32_t> loop_of_header(flow_.blocks.size(), none);
        for (const std::size_t header : forest.headers) {
            loop_of_header[header] = static_cast<std::uint32_t>(flow_.loops.size());
            flow_.loops.push_back({static_cast<std::uint32_t>(header)});
        }
        const auto around = [&](std::size_t block) -> std::optional<std::uint32_t> {
            if (!forest.around[block]) return std::nullopt;
            return loop_of_header[*forest.around[block]];
        };
        for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b)
            flow_.loop_of[b] = forest.is_header[b] ? loop_of_header[b] : around(b);
        for (auto loop = flow_.loops.rbegin(); loop != flow_.loops.rend(); ++loop) {
            loop->parent = around(loop->header);
            if (loop->parent) loop->depth = flow_.loops[*loop->parent].depth + 1;
            if (loop->depth > deepest_loop)
                throw InputError(where() + " nests loops deeper than " + std::to_string(deepest_loop));
        }
        find_ends();
        name_loops();
    }

    void name_loops() {
        const auto label_of = [&](const PtxFlowLoop& loop) -> const PtxLabel& {
            return function_.labels[*flow_.blocks[loop.header].label];
        };
        std::unordered_map<std::string_view, std::size_t> same;
        std::vector<std::uint32_t> headers;
        for (const PtxFlowLoop& loop : flow_.loops) {
            ++same[label_of(loop).name];
            headers.push_back(loop.header);
        }
        std::sort(headers.begin(), headers.end());
        for (PtxFlowLoop& loop : flow_.loops) {
            const PtxLabel& label = label_of(loop);
            loop.name = std::string(label.name) +
                        (same[label.name] > 1 ? "@" + std::to_string(label.line) : std::string());
            const auto at = std::lower_bound(headers.begin(), headers.end(), loop.header);
            loop.place = 1 + static_cast<std::size_t>(at - headers.begin());
        }
    }

    void find_ends() {
        const auto add = [](std::vector<std::uint32_t>& blocks, std::uint32_t block) {
            if (blocks.empty() || blocks.back() != block) blocks.push_back(block);
        };
        for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b) {
            for (std::optional<std::uint32_t> l = flow_.loop_of[b]; l; l = flow_.loops[*l].parent) {
                if (flow_.loops[*l].last == 0) flow_.loops[*l].first = flow_.blocks[b].first;
                flow_.loops[*l].last = flow_.blocks[b].last;
                for (const std::uint32_t next : flow_.blocks[b].successors) {
                    if (next == flow_.loops[*l].header) add(flow_.loops[*l].latches, b);
                    if (!flow_.is_inside(next, *l)) add(flow_.loops[*l].exits, b);
                }
            }
        }
        for (PtxFlowLoop& loop : flow_.loops) {
            loop.leaves_early =
                std::any_of(loop.latches.begin(), loop.latches.end(), [&](std::uint32_t latch) {
                    return !std::binary_search(loop.exits.begin(), loop.exits.end(), latch);
                });
        }
    }

    const PtxModule& module_;
    const PtxFunction& function_;
    PtxFlow flow_;
    std::vector<std::uint32_t> block_at_;  // by instruction: the block that begins there
};

}  // namespace

bool PtxFlow::is_inside(std::uint32_t block, std::uint32_t loop) const {
    for (std::optional<std::uint32_t> l = loop_of[block]; l; l = loops[*l].parent)
        if (*l == loop) return true;
    return false;
}

PtxFlow ptx_flow(const PtxModule& module, const PtxFunction& function) {
    return FlowBuilder(module, function).build();
}

std::string ptx_block_name(const PtxFunction& function, const PtxBlock& block) {
    if (block.label) return std::string(function.labels[*block.label].name);
    if (block.first == function.instructions.size()) return "end";
    return "line " + std::to_string(function.instructions[block.first].line);
}

namespace {

constexpr std::size_t most_blocks = 4000;
constexpr std::uint32_t not_reached = 0xFFFFFFFF;

using Edges = std::vector<std::vector<std::uint32_t>>;

/// Immediate dominators of what can be reached from the root, its own itself, `not_reached` for the others.
/// [Cooper01]
std::vector<std::uint32_t> dominators(const Edges& next, const Edges& before, std::uint32_t root) {
    std::vector<std::uint32_t> order;  // postorder
    std::vector<std::uint32_t> place(next.size(), not_reached);
    std::vector<std::pair<std::uint32_t, std::size_t>> stack = {{root, 0}};
    std::vector<bool> seen(next.size(), false);
    seen[root] = true;
    while (!stack.empty()) {
        auto& [at, edge] = stack.back();
        if (edge == next[at].size()) {
            place[at] = static_cast<std::uint32_t>(order.size());
            order.push_back(at);
            stack.pop_back();
            continue;
        }
        const std::uint32_t to = next[at][edge++];
        if (seen[to]) continue;
        seen[to] = true;
        stack.emplace_back(to, 0);
    }
    std::vector<std::uint32_t> above(next.size(), not_reached);
    above[root] = root;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = order.size() - 1; i-- > 0;) {
            std::uint32_t found = not_reached;
            for (const std::uint32_t from : before[order[i]]) {
                if (above[from] == not_reached) continue;
                if (found == not_reached) found = from;
                for (std::uint32_t other = from; found != other;) {
                    while (place[found] < place[other]) found = above[found];
                    while (place[other] < place[found]) other = above[other];
                }
            }
            if (found == above[order[i]]) continue;
            above[order[i]] = found;
            changed = true;
        }
    }
    return above;
}

}  // namespace

PtxDivergence::PtxDivergence(const PtxFlow& flow) : flow_(flow) {
    const auto count = static_cast<std::uint32_t>(flow.blocks.size());
    Edges next(count + 1);
    Edges before(count + 1);
    for (std::uint32_t b = 0; b < count; ++b) {
        next[b] = flow.blocks[b].successors;
        if (next[b].empty()) next[b] = {count};
        for (const std::uint32_t to : next[b]) before[to].push_back(b);
    }
    dominator_ = dominators(next, before, 0);
    postdominator_ = dominators(before, next, count);
}

const PtxDivergence::Reach& PtxDivergence::reach(std::uint32_t branch) {
    const auto found = reach_.find(branch);
    if (found != reach_.end()) return found->second;
    Reach sides;
    for (std::size_t side = 0; side < 2; ++side) {
        std::vector<bool>& there = sides[side];
        there.assign(flow_.blocks.size(), false);
        std::vector<std::uint32_t> pending = {flow_.blocks[branch].successors[side]};
        while (!pending.empty()) {
            const std::uint32_t at = pending.back();
            pending.pop_back();
            if (there[at] || at == postdominator_[branch]) continue;
            there[at] = true;
            pending.insert(pending.end(), flow_.blocks[at].successors.begin(),
                           flow_.blocks[at].successors.end());
        }
    }
    return reach_.emplace(branch, std::move(sides)).first->second;
}

bool PtxDivergence::splits(const std::vector<bool>& divergent, std::uint32_t from, std::uint32_t use,
                           bool differ) {
    if (flow_.blocks.size() > most_blocks) return true;
    for (std::uint32_t branch = 0; branch < divergent.size(); ++branch) {
        if (!divergent[branch]) continue;
        if (flow_.blocks[branch].successors.size() != 2) return true;
        // The loops that this branch can end.
        bool ends_loop_of_use = false;
        bool ends_loop_of_definition = false;
        for (auto loop = flow_.loop_of[branch]; loop; loop = flow_.loops[*loop].parent) {
            const auto& sides = flow_.blocks[branch].successors;
            if (std::all_of(sides.begin(), sides.end(),
                            [&](std::uint32_t to) { return flow_.is_inside(to, *loop); }))
                break;
            ends_loop_of_use |= flow_.is_inside(use, *loop);
            ends_loop_of_definition |= flow_.is_inside(from, *loop) && !flow_.is_inside(use, *loop);
        }
        if (ends_loop_of_definition) return true;
        if (ends_loop_of_use || !differ) continue;
        const Reach& sides = reach(branch);
        if (!sides[0][from] && !sides[1][from]) continue;
        if (sides[0][use] == sides[1][use]) return true;  // on neither side, or on both
    }
    return false;
}

}  // namespace warpnet
