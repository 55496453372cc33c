#include "netgen/code/ptx/divergence.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace warpnet {

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
