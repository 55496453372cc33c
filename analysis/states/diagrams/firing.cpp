// Firings on all markings of a set at once, forwards and backwards. The cost follows the nodes and not the
// markings.
//
// Forwards by saturation [Ciardo01]: a node is made only after every transition that reaches no higher has
// been fired in it until nothing is added. Breadth-first, the intermediate sets are far larger than the final
// one. Large numbers of tokens are a bad case: 6,000 tokens on three places make 18 million edges.
//
// Backwards in the same way [Zhao09], within the node of another set for the same content of the levels
// above. So is a single firing, without the repetition: the union of what transitions with equal effects
// above lead to is made level by level. Transition by transition on whole sets takes far longer, because most
// of a set is the same for all of them and yet visited for each.
//
// Rejected: BuDDy, which Debian has. Its nodes are binary, so a place of 50 tokens takes six levels and an
// adder, and it has no saturation. The library operations that warpnet needs are 60 lines.

#include "analysis/states/diagrams/firing.hpp"

#include <algorithm>
#include <utility>

namespace warpnet::states {

PermittedEffects::PermittedEffects(DiagramLevels& levels, DiagramNodes& nodes,
                                   std::vector<std::vector<std::uint32_t>> tails)
    : levels_(levels), nodes_(nodes), tails_(std::move(tails)), known_(levels.size()) {}

const std::vector<PermittedEffects::Effect>& PermittedEffects::operator()(std::size_t level,
                                                                          std::uint32_t state) {
    auto& known = known_[level];
    if (state >= known.size()) known.resize(state + std::size_t{1});
    if (known[state]) return *known[state];
    std::vector<Effect> found;
    nodes_.spend(tails_[level].size());
    for (const std::uint32_t tail : tails_[level]) {
        const DiagramLevels::Tail effect = levels_.tail(tail);
        const std::uint32_t target = levels_.target(effect.move, state);
        if (target != DiagramLevels::disabled) found.push_back({target, effect.rest});
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    bytes_ += sizeof(known[state]) + found.size() * sizeof(Effect);
    return known[state].emplace(std::move(found));
}

DiagramFiring::DiagramFiring(DiagramLevels& levels, DiagramNodes& nodes)
    : levels_(levels),
      nodes_(nodes),
      permitted_(levels, nodes, levels.tails_by_level()),
      open_(levels.size()) {}

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
    for (const auto& tails : levels_.tails_by_level()) {
        for (const std::uint32_t tail : tails)
            after = nodes_.unite(after, fire(tail, markings, levels_.size(), false));
    }
    return after;
}

/// Adds to the child of a state.
void DiagramFiring::fill(std::size_t level, std::uint32_t state, DiagramNode more) {
    Open& open = open_[level];
    if (state >= open.children.size()) {
        nodes_.count_bytes(fired_.bytes() + stepped_.bytes() + levels_.bytes() + permitted_.bytes());
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

/// The markings after a firing with a tail, on `levels` levels.
DiagramNode DiagramFiring::fire(std::uint32_t tail, DiagramNode node, std::size_t levels, bool saturating) {
    if (tail == DiagramLevels::no_tail || node == DiagramNodes::none) return node;
    DiagramCache& cache = saturating ? fired_ : stepped_;
    if (const DiagramNode known = cache.find(tail, node); known != DiagramCache::unknown) return known;
    const DiagramLevels::Tail effect = levels_.tail(tail);
    const std::size_t level = levels - 1;
    const bool moves_here = effect.move.level == level;
    const std::size_t count = nodes_.edges(node).size();
    nodes_.spend(count);
    for (std::size_t i = 0; i < count; ++i) {
        const DiagramNodes::Edge edge = nodes_.edges(node)[i];
        const std::uint32_t target = moves_here ? levels_.target(effect.move, edge.state) : edge.state;
        if (target == DiagramLevels::disabled) continue;
        const DiagramNode below = fire(moves_here ? effect.rest : tail, edge.child, level, saturating);
        if (below != DiagramNodes::none) fill(level, target, below);
    }
    if (saturating) saturate(level);
    const DiagramNode result = close(level);
    cache.put(tail, node, result, nodes_.cache_bytes());
    return result;
}

/// Fires the transitions that reach no higher than the open node of a level until nothing is added.
void DiagramFiring::saturate(std::size_t level) {
    Open& open = open_[level];
    while (!open.waiting.empty()) {
        const std::uint32_t state = open.waiting.back();
        open.waiting.pop_back();
        open.waits[state] = 0;
        for (const auto [target, rest] : permitted_(level, state)) {
            nodes_.spend();
            const DiagramNode below = fire(rest, open.children[state], level, true);
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

BackwardFiring::BackwardFiring(DiagramLevels& levels, DiagramNodes& nodes,
                               std::vector<std::vector<std::uint32_t>> tails)
    : levels_(levels), nodes_(nodes), permitted_(levels, nodes, std::move(tails)) {}

/// A number of two nodes, for the caches.
std::uint32_t BackwardFiring::number_of(DiagramNode first, DiagramNode second) {
    const std::uint64_t key = std::uint64_t{first} << 32 | second;
    constexpr std::size_t between_counts = 4096, bytes_a_pair = 40;
    if (pairs_.size() % between_counts == 0)
        nodes_.count_bytes(permitted_.bytes() + one_.bytes() + any_.bytes() + before_one_.bytes() +
                           before_any_.bytes() + pairs_.size() * bytes_a_pair);
    return pairs_.try_emplace(key, static_cast<std::uint32_t>(pairs_.size())).first->second;
}

/// The effects of a tail, on `levels` levels; after `any`, also of further firings below.
DiagramNode BackwardFiring::before(Firings firings, std::uint32_t tail, DiagramNode hold, DiagramNode targets,
                                   std::size_t levels) {
    if (hold == DiagramNodes::none || targets == DiagramNodes::none) return DiagramNodes::none;
    if (tail == DiagramLevels::no_tail) return nodes_.intersect(hold, targets);
    DiagramCache& cache = firings == Firings::any ? before_any_ : before_one_;
    const std::uint32_t pair = number_of(hold, targets);
    if (const DiagramNode known = cache.find(tail, pair); known != DiagramCache::unknown) return known;
    const DiagramLevels::Tail effect = levels_.tail(tail);
    const std::size_t level = levels - 1;
    const bool moves_here = effect.move.level == level;
    const std::size_t count = nodes_.edges(hold).size();
    nodes_.spend(count);
    std::vector<DiagramNodes::Edge> row;
    for (std::size_t i = 0; i < count; ++i) {
        const DiagramNodes::Edge edge = nodes_.edges(hold)[i];
        const std::uint32_t after = moves_here ? levels_.target(effect.move, edge.state) : edge.state;
        if (after == DiagramLevels::disabled) continue;
        const DiagramNode below =
            before(firings, moves_here ? effect.rest : tail, edge.child, nodes_.child(targets, after), level);
        if (below != DiagramNodes::none) row.push_back({edge.state, below});
    }
    DiagramNode result = nodes_.make(row);
    if (firings == Firings::any) result = any(hold, result, levels);
    cache.put(tail, pair, result, nodes_.cache_bytes());
    return result;
}

DiagramNode BackwardFiring::one(DiagramNode hold, DiagramNode targets, std::size_t levels) {
    if (hold == DiagramNodes::none || targets == DiagramNodes::none || levels == 0) return DiagramNodes::none;
    if (const DiagramNode known = one_.find(hold, targets); known != DiagramCache::unknown) return known;
    const std::size_t level = levels - 1;
    const std::size_t count = nodes_.edges(hold).size();
    nodes_.spend(count);
    std::vector<DiagramNodes::Edge> row;
    for (std::size_t i = 0; i < count; ++i) {
        const DiagramNodes::Edge edge = nodes_.edges(hold)[i];
        DiagramNode here = one(edge.child, nodes_.child(targets, edge.state), level);
        for (const auto [target, rest] : permitted_(level, edge.state))
            here = nodes_.unite(here,
                                before(Firings::one, rest, edge.child, nodes_.child(targets, target), level));
        if (here != DiagramNodes::none) row.push_back({edge.state, here});
    }
    const DiagramNode result = nodes_.make(row);
    one_.put(hold, targets, result, nodes_.cache_bytes());
    return result;
}

/// The children of a node of `hold`, and of what is reached, for one state of their level.
struct BackwardFiring::Pair {
    std::uint32_t state;
    DiagramNode hold, reached;
    bool grown;
};

DiagramNode BackwardFiring::any(DiagramNode hold, DiagramNode reached, std::size_t levels) {
    if (hold == DiagramNodes::none || reached == DiagramNodes::none || hold == reached || levels == 0)
        return reached;
    if (const DiagramNode known = any_.find(hold, reached); known != DiagramCache::unknown) return known;
    std::vector<Pair> pairs;
    for (const auto edge : nodes_.edges(hold))
        pairs.push_back({edge.state, edge.child, DiagramNodes::none, false});
    for (const auto edge : nodes_.edges(reached)) {
        const auto at = std::ranges::lower_bound(pairs, edge.state, {}, &Pair::state);
        if (at != pairs.end() && at->state == edge.state)
            at->reached = edge.child;
        else
            pairs.insert(at, {edge.state, DiagramNodes::none, edge.child, false});
    }
    nodes_.spend(pairs.size());
    for (Pair& pair : pairs) {
        pair.reached = any(pair.hold, pair.reached, levels - 1);
        pair.grown = pair.reached != DiagramNodes::none;
    }
    grow(levels - 1, pairs);
    std::vector<DiagramNodes::Edge> row;
    for (const Pair& pair : pairs)
        if (pair.reached != DiagramNodes::none) row.push_back({pair.state, pair.reached});
    const DiagramNode result = nodes_.make(row);
    any_.put(hold, reached, result, nodes_.cache_bytes());
    any_.put(hold, result, result, nodes_.cache_bytes());
    return result;
}

/// Fires backwards the transitions that reach exactly to a level, until nothing is added.
void BackwardFiring::grow(std::size_t level, std::vector<Pair>& pairs) {
    struct Firing {
        std::size_t to, from;  // positions among the pairs
        std::uint32_t rest;
    };
    std::vector<Firing> firings;
    for (std::size_t from = 0; from < pairs.size(); ++from) {
        if (pairs[from].hold == DiagramNodes::none) continue;
        for (const auto [target, rest] : permitted_(level, pairs[from].state)) {
            const auto to = std::ranges::lower_bound(pairs, target, {}, &Pair::state);
            if (to != pairs.end() && to->state == target)
                firings.push_back({static_cast<std::size_t>(to - pairs.begin()), from, rest});
        }
    }
    std::ranges::stable_sort(firings, {}, &Firing::to);
    for (bool grown = true; grown;) {
        grown = false;
        for (std::size_t f = 0; f < firings.size();) {
            const std::size_t to = firings[f].to;
            const bool leads_to_more = std::exchange(pairs[to].grown, false);
            for (; f < firings.size() && firings[f].to == to; ++f) {
                if (!leads_to_more) continue;
                Pair& from = pairs[firings[f].from];
                const DiagramNode both = nodes_.unite(
                    from.reached, before(Firings::any, firings[f].rest, from.hold, pairs[to].reached, level));
                if (both == from.reached) continue;
                from.reached = any(from.hold, both, level);
                from.grown = grown = true;
            }
        }
    }
}

}  // namespace warpnet::states
