// Basic blocks, natural loops, and divergence of lanes. Loops and immediate dominators and postdominators are
// found in netgen/cfg/graph. The sides of a branch meet again at its postdominator. PtxDivergence remembers
// the blocks that each side reaches before that point: values written there differ between the lanes
// afterwards. Nearly linear for the code of compilers.

#include "netgen/code/ptx/values/flow.hpp"

#include "engine/net/error.hpp"
#include "netgen/cfg/graph.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace warpnet::netgen {

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
        find_dominators();
        find_loops_of_blocks();
        return std::move(flow_);
    }

  private:
    std::string where() const {
        return module_.source + ":" + std::to_string(function_.line) + ": function '" +
               std::string(function_.name) + "'";
    }

    // A block begins at the entry, at each label that a branch targets, and after each branch.
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

    // A guarded exit needs its own block as a target.
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

    /// Throws for an indirect branch without targets, as in a listing, because the code after it would be
    /// missing.
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

    void find_dominators() {
        std::vector<CfgEdge> edges;
        for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b)
            for (const std::uint32_t next : flow_.blocks[b].successors) edges.push_back({b, next});
        const std::vector<std::size_t> above = immediate_dominators(flow_.blocks.size(), edges, 0);
        flow_.dominator.assign(above.begin(), above.end());
        flow_.dominator[0] = 0;
        number_dominators();
    }

    void number_dominators() {
        const auto count = static_cast<std::uint32_t>(flow_.blocks.size());
        std::vector<std::vector<std::uint32_t>> below(count);
        for (std::uint32_t b = 1; b < count; ++b) below[flow_.dominator[b]].push_back(b);
        flow_.dominator_place.assign(count, 0);
        flow_.dominated.assign(count, 1);
        std::vector<std::uint32_t>& order = flow_.dominators_first;
        std::vector<std::uint32_t> pending = {0};
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

PtxDivergence::PtxDivergence(const PtxFlow& flow) : flow_(flow) {
    const auto end = static_cast<std::uint32_t>(flow.blocks.size());
    std::vector<CfgEdge> turned;
    for (std::uint32_t b = 0; b < end; ++b) {
        for (const std::uint32_t to : flow.blocks[b].successors) turned.push_back({to, b});
        if (flow.blocks[b].successors.empty()) turned.push_back({end, b});
    }
    postdominator_ = immediate_dominators(end + 1, turned, end);
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
    constexpr std::size_t most_blocks = 4000;
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

}  // namespace warpnet::netgen
