#include "analysis/states/diagrams/firing.hpp"

#include <algorithm>

// Saturation [Ciardo01]. A node is made only once every transition that reaches no higher has been fired in
// it until nothing is added. Breadth-first, the sets on the way are far larger than the last one. The cost
// follows the nodes and not the markings.
//
// Every arc is about one place, so whether a transition can fire is a conjunction over levels, and so is its
// effect. A level is compiled as a net of its places alone and fired by engine/compile/firing_rule.hpp.
// The states of a level are numbered as they are met [Ciardo03], so no bound has to be known before.
//
// Rejected: BuDDy, which Debian has. Its nodes are binary, so a place of 50 tokens would be six levels and an
// addition, and it has no saturation. The library operations that we need are 60 lines. Not supported: nets
// with immediate transitions or priorities, whose conditions are about all places, and maximal steps. Large
// numbers are a bad case: 6,000 tokens on three places have 18 million edges.

namespace warpnet {

DiagramFiring::DiagramFiring(DiagramLevels& levels, DiagramNodes& nodes, std::size_t transition_count)
    : levels_(levels), nodes_(nodes), highest_(levels.size()), open_(levels.size()) {
    for (std::uint32_t t = 0; t < transition_count; ++t) {
        if (!levels.moves(t).empty()) highest_[levels.moves(t).front().level].push_back(t);
    }
}

DiagramNode DiagramFiring::reachable_from(std::span<const Tokens> marking) {
    DiagramNode node = DiagramNodes::all;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
        fill(level, levels_.state_in(level, marking), node);
        saturate(level);
        node = close(level);
    }
    return node;
}

DiagramNode DiagramFiring::after_one_firing(DiagramNode markings) {
    DiagramNode after = DiagramNodes::none;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
        for (const std::uint32_t transition : highest_[level])
            after = nodes_.unite(after, fire(transition, markings, levels_.size(), 0, false));
    }
    return after;
}

DiagramNode DiagramFiring::before_firing(std::uint32_t transition, DiagramNode markings,
                                         DiagramNode targets) {
    before_.clear();
    return into(transition, markings, targets, levels_.size(), 0);
}

/// The part of `node` from which the transition, from its move number `move` on, leads into `target`.
DiagramNode DiagramFiring::into(std::uint32_t transition, DiagramNode node, DiagramNode target,
                                std::size_t levels, std::size_t move) {
    if (node == DiagramNodes::none || target == DiagramNodes::none) return DiagramNodes::none;
    const auto moves = levels_.moves(transition);
    if (move == moves.size()) return nodes_.intersect(node, target);
    const std::uint64_t key = std::uint64_t{node} << 32 | target;
    if (const auto known = before_.find(key); known != before_.end()) return known->second;
    const std::size_t level = levels - 1;
    const bool moves_here = moves[move].level == level;
    const std::size_t count = nodes_.edges(node).size();
    nodes_.spend(count);
    std::vector<DiagramNodes::Edge> row;
    for (std::size_t i = 0; i < count; ++i) {
        const DiagramNodes::Edge edge = nodes_.edges(node)[i];
        const std::uint32_t after = moves_here ? levels_.target(moves[move], edge.state) : edge.state;
        if (after == DiagramLevels::disabled) continue;
        const DiagramNode below =
            into(transition, edge.child, nodes_.child(target, after), level, move + (moves_here ? 1 : 0));
        if (below != DiagramNodes::none) row.push_back({edge.state, below});
    }
    return before_[key] = nodes_.make(row);
}

/// Adds to the child of a state.
void DiagramFiring::fill(std::size_t level, std::uint32_t state, DiagramNode more) {
    Open& open = open_[level];
    if (state >= open.children.size()) {
        nodes_.count_bytes(fired_.bytes() + stepped_.bytes() + levels_.bytes());
        constexpr std::size_t edges_a_state = 128;  // about the cost of a new state, which is put into maps
        nodes_.spend(edges_a_state * (levels_.state_count(level) - open.children.size()));
        open.children.resize(levels_.state_count(level), DiagramNodes::none);
        open.waits.resize(open.children.size(), 0);
    }
    const DiagramNode before = open.children[state];
    const DiagramNode both = nodes_.unite(before, more);
    if (both == before) return;
    if (before == DiagramNodes::none) open.filled.push_back(state);
    open.children[state] = both;
    if (open.waits[state] == 0) {
        open.waits[state] = 1;
        open.waiting.push_back(state);
    }
}

/// The markings after a transition has fired, on `level` levels and from its move number `move` on.
DiagramNode DiagramFiring::fire(std::uint32_t transition, DiagramNode node, std::size_t levels,
                                std::size_t move, bool saturating) {
    const auto moves = levels_.moves(transition);
    if (move == moves.size() || node == DiagramNodes::none) return node;
    DiagramCache& cache = saturating ? fired_ : stepped_;
    if (const DiagramNode known = cache.find(transition, node); known != DiagramCache::unknown) return known;
    const std::size_t level = levels - 1;
    const bool moves_here = moves[move].level == level;
    const std::size_t count = nodes_.edges(node).size();
    nodes_.spend(count);
    for (std::size_t i = 0; i < count; ++i) {
        const DiagramNodes::Edge edge = nodes_.edges(node)[i];
        const std::uint32_t target = moves_here ? levels_.target(moves[move], edge.state) : edge.state;
        if (target == DiagramLevels::disabled) continue;
        const DiagramNode below =
            fire(transition, edge.child, level, move + (moves_here ? 1 : 0), saturating);
        if (below != DiagramNodes::none) fill(level, target, below);
    }
    if (saturating) saturate(level);
    const DiagramNode result = close(level);
    cache.put(transition, node, result, nodes_.cache_bytes());
    return result;
}

/// Fires the transitions that reach no higher than the open node of a level until nothing is added.
void DiagramFiring::saturate(std::size_t level) {
    Open& open = open_[level];
    while (!open.waiting.empty()) {
        const std::uint32_t state = open.waiting.back();
        open.waiting.pop_back();
        open.waits[state] = 0;
        nodes_.spend(highest_[level].size());
        for (const std::uint32_t transition : highest_[level]) {
            const std::uint32_t target = levels_.target(levels_.moves(transition).front(), state);
            if (target == DiagramLevels::disabled) continue;
            const DiagramNode below = fire(transition, open.children[state], level, 1, true);
            if (below != DiagramNodes::none) fill(level, target, below);
        }
    }
}

/// The open node of a level as a node of the diagram.
DiagramNode DiagramFiring::close(std::size_t level) {
    Open& open = open_[level];
    std::sort(open.filled.begin(), open.filled.end());
    edges_.clear();
    for (const std::uint32_t state : open.filled) {
        edges_.push_back({state, open.children[state]});
        open.children[state] = DiagramNodes::none;
        open.waits[state] = 0;
    }
    open.filled.clear();
    open.waiting.clear();
    return nodes_.make(edges_);
}

}  // namespace warpnet
