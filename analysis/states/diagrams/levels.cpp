// The levels of a decision diagram, and firings on the diagram. level_orders.cpp has the order of the levels.
//
// Firing. Saturation [Ciardo01]: a node is made only after every transition that reaches no higher has been
// fired in it until nothing is added. Breadth-first, the intermediate sets are far larger than the final one.
// The cost follows the nodes and not the markings. Every arc is about one place, so enabling is a conjunction
// over levels, and the effect of a firing is separate for each level. A level is compiled as a net of its own
// places and fired by engine/compile/firing_rule.hpp. The states of a level are numbered when they are first
// met [Ciardo03], so no bound has to be known before.
//
// Rejected: BuDDy, which Debian has. Its nodes are binary, so a place of 50 tokens takes six levels and an
// adder, and it has no saturation. The library operations that warpnet needs are 60 lines. Unsupported: nets
// with immediate transitions or priorities, whose conditions are about all places, and maximal steps. Large
// numbers of tokens are a bad case: 6,000 tokens on three places make 18 million edges.

#include "analysis/states/diagrams/levels.hpp"

#include "analysis/states/diagrams/nodes.hpp"
#include "engine/compile/firing_rule.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

namespace warpnet::states {

namespace {

using Arcs = std::vector<std::pair<std::uint32_t, std::int32_t>>;  // position of a place, weight
using KindsOfArcs = std::array<Arcs, 4>;

void add_arcs(Rows<PlaceWeight>& rows, const Arcs& arcs) {
    for (const auto& [position, weight] : arcs) rows.append({position, weight});
    rows.close_row();
}

void add_row(NetArcs& part, const KindsOfArcs& arcs) {
    const auto& [inputs, outputs, inhibitors, reads] = arcs;
    add_arcs(part.inputs, inputs);
    add_arcs(part.outputs, outputs);
    add_arcs(part.inhibitors, inhibitors);
    add_arcs(part.reads, reads);
    part.urgency.emplace_back();
}

}  // namespace

DiagramLevels::DiagramLevels(const CompiledNet& net, std::vector<std::vector<std::uint32_t>> places)
    : levels_(places.size()),
      level_of_(net.place_count()),
      position_of_(net.place_count()),
      tail_of_(net.transition_count(), no_tail) {
    std::vector<NetArcs> parts(places.size());
    for (std::uint32_t l = 0; l < places.size(); ++l) {
        for (std::uint32_t i = 0; i < places[l].size(); ++i) {
            level_of_[places[l][i]] = l;
            position_of_[places[l][i]] = i;
            parts[l].initial.push_back(net.initial[places[l][i]]);
        }
        levels_[l].places = std::move(places[l]);
    }
    std::vector<std::map<KindsOfArcs, std::uint32_t>> slots(places.size());
    std::map<std::array<std::uint32_t, 3>, std::uint32_t> numbers;  // of tails
    for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
        std::map<std::uint32_t, KindsOfArcs> touched;  // by level, lowest first
        std::size_t kind = 0;
        for (const auto arcs : {net.inputs[t], net.outputs[t], net.inhibitors[t], net.reads[t]}) {
            for (const auto [place, weight] : arcs)
                touched[level_of_[place]][kind].emplace_back(position_of_[place], weight);
            ++kind;
        }
        for (auto& [l, arcs] : touched) {
            const auto [slot, is_new] =
                slots[l].emplace(std::move(arcs), static_cast<std::uint32_t>(slots[l].size()));
            if (is_new) add_row(parts[l], slot->first);
            const auto number = static_cast<std::uint32_t>(tails_.size());
            const auto [tail, first] = numbers.try_emplace({l, slot->second, tail_of_[t]}, number);
            if (first) tails_.push_back({{l, slot->second}, tail_of_[t]});
            tail_of_[t] = tail->second;
        }
    }
    std::vector<std::uint32_t> all(net.transition_count());
    std::iota(all.begin(), all.end(), 0U);
    tails_by_level_ = tails_by_level(all);
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        levels_[l].targets.resize(parts[l].urgency.size());
        levels_[l].part = compile(std::move(parts[l]));
    }
}

std::vector<std::vector<std::uint32_t>> DiagramLevels::tails_by_level(
    std::span<const std::uint32_t> transitions) const {
    std::vector<std::vector<std::uint32_t>> result(levels_.size());
    std::vector<std::uint8_t> seen(tails_.size(), 0);
    for (const std::uint32_t t : transitions) {
        const std::uint32_t tail = tail_of_[t];
        if (tail != no_tail && std::exchange(seen[tail], 1) == 0)
            result[tails_[tail].move.level].push_back(tail);
    }
    return result;
}

std::uint32_t DiagramLevels::number(Level& level, Marking tokens) {
    const auto [at, is_new] =
        level.numbers.emplace(std::move(tokens), static_cast<std::uint32_t>(level.states.size()));
    if (is_new) {
        level.states.push_back(&at->first);
        constexpr std::uint64_t entry = 96;  // in the map, with its vector
        bytes_ += entry + level.places.size() * sizeof(Tokens) + level.targets.size() * sizeof(std::uint32_t);
    }
    return at->second;
}

std::uint32_t DiagramLevels::state_in(std::size_t level, std::span<const Tokens> marking) {
    Marking tokens;
    for (const std::uint32_t place : levels_[level].places) tokens.push_back(marking[place]);
    return number(levels_[level], std::move(tokens));
}

std::uint32_t DiagramLevels::find_target(Move move, std::uint32_t state) {
    Level& level = levels_[move.level];
    Marking tokens = *level.states[state];
    if (!warpnet::enabled(level.part, tokens, move.slot)) return disabled;
    take(level.part, tokens, move.slot);
    if (!give(level.part, tokens, move.slot)) throw LimitReached(WorkEnd::overflow);
    return number(level, std::move(tokens));
}

DiagramFiring::DiagramFiring(DiagramLevels& levels, DiagramNodes& nodes)
    : levels_(levels), nodes_(nodes), enabled_(levels.size()), open_(levels.size()) {}

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

DiagramNode DiagramFiring::before_firing(std::uint32_t tail, DiagramNode markings, DiagramNode targets) {
    before_.clear();
    return into(tail, markings, targets, levels_.size());
}

/// The part of `node` from which the effects of a tail lead into `target`.
DiagramNode DiagramFiring::into(std::uint32_t tail, DiagramNode node, DiagramNode target,
                                std::size_t levels) {
    if (node == DiagramNodes::none || target == DiagramNodes::none) return DiagramNodes::none;
    if (tail == DiagramLevels::no_tail) return nodes_.intersect(node, target);
    const std::uint64_t key = std::uint64_t{node} << 32 | target;
    if (const auto known = before_.find(key); known != before_.end()) return known->second;
    const DiagramLevels::Tail effect = levels_.tail(tail);
    const std::size_t level = levels - 1;
    const bool moves_here = effect.move.level == level;
    const std::size_t count = nodes_.edges(node).size();
    nodes_.spend(count);
    std::vector<DiagramNodes::Edge> row;
    for (std::size_t i = 0; i < count; ++i) {
        const DiagramNodes::Edge edge = nodes_.edges(node)[i];
        const std::uint32_t after = moves_here ? levels_.target(effect.move, edge.state) : edge.state;
        if (after == DiagramLevels::disabled) continue;
        const DiagramNode below =
            into(moves_here ? effect.rest : tail, edge.child, nodes_.child(target, after), level);
        if (below != DiagramNodes::none) row.push_back({edge.state, below});
    }
    return before_[key] = nodes_.make(row);
}

/// Adds to the child of a state.
void DiagramFiring::fill(std::size_t level, std::uint32_t state, DiagramNode more) {
    Open& open = open_[level];
    if (state >= open.children.size()) {
        nodes_.count_bytes(fired_.bytes() + stepped_.bytes() + levels_.bytes() + enabled_bytes_);
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

/// Each level has many transitions, but a state permits few of them.
const std::vector<DiagramFiring::Enabled>& DiagramFiring::enabled_in(std::size_t level, std::uint32_t state) {
    auto& known = enabled_[level];
    if (state >= known.size()) known.resize(state + std::size_t{1});
    if (known[state]) return *known[state];
    std::vector<Enabled> found;
    const auto& tails = levels_.tails_by_level()[level];
    nodes_.spend(tails.size());
    for (const std::uint32_t tail : tails) {
        const DiagramLevels::Tail effect = levels_.tail(tail);
        const std::uint32_t target = levels_.target(effect.move, state);
        if (target != DiagramLevels::disabled) found.push_back({target, effect.rest});
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    enabled_bytes_ += sizeof(known[state]) + found.size() * sizeof(Enabled);
    return known[state].emplace(std::move(found));
}

/// Fires the transitions that reach no higher than the open node of a level until nothing is added.
void DiagramFiring::saturate(std::size_t level) {
    Open& open = open_[level];
    while (!open.waiting.empty()) {
        const std::uint32_t state = open.waiting.back();
        open.waiting.pop_back();
        open.waits[state] = 0;
        for (const auto [target, rest] : enabled_in(level, state)) {
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

}  // namespace warpnet::states
