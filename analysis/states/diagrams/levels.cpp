// The levels of a decision diagram, their order, and firings on the diagram.
//
// Order. The order of the levels decides the cost, and no order is always good. Four orders are tried in
// turn, each time with four times the work, until one finishes. So a bad order costs at most a few times the
// good one. The first is the order of the file, in which the places of a part are mostly together. It is best
// for equal warps, and the only good order for GPUForwardProgress-20b. The other three bring places that
// share transitions near each other: Sloan's algorithm on places and transitions [Meijer16], the order of the
// file, and the algorithm of Cuthill and McKee, all three improved by FORCE [Aloul03]. Sloan's is best or
// nearly best for nine of ten nets of the Model Checking Contest that were tried. The weighted spans of
// transitions [Siminiceanu06] decide which end is up, and were right in nearly all of 60 cases.
//
// Firing. Saturation [Ciardo01]: a node is made only after every transition that reaches no higher has been
// fired in it until nothing is added. Breadth-first, the intermediate sets are far larger than the final one.
// The cost follows the nodes and not the markings. Every arc is about one place, so enabling is a conjunction
// over levels, and the effect of a firing is separate for each level. A level is compiled as a net of its own
// places and fired by engine/compile/firing_rule.hpp. The states of a level are numbered when they are first
// met [Ciardo03], so no bound has to be known before.
//
// Rejected: BuDDy, which Debian has. Its nodes are binary, so a place of 50 tokens takes six levels and an
// adder, and it has no saturation. The library operations that we need are 60 lines. Unsupported: nets with
// immediate transitions or priorities, whose conditions are about all places, and maximal steps. Large
// numbers of tokens are a bad case: 6,000 tokens on three places make 18 million edges.

#include "analysis/states/diagrams/levels.hpp"

#include "analysis/states/diagrams/nodes.hpp"
#include "engine/compile/firing_rule.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/cuthill_mckee_ordering.hpp>
#include <boost/graph/sloan_ordering.hpp>

namespace warpnet::states {

namespace {

constexpr int most_rounds = 100;
constexpr int rounds_in_vain = 5;

/// The places around each transition that has any.
using Neighbours = std::vector<std::vector<std::uint32_t>>;

/// The level of each place.
using Levels = std::vector<std::uint32_t>;

Neighbours places_around_transitions(const CompiledNet& net) {
    Neighbours around;
    for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
        std::vector<std::uint32_t> places;
        for (const auto arcs : {net.inputs[t], net.outputs[t], net.inhibitors[t], net.reads[t]})
            for (const auto [place, weight] : arcs) places.push_back(place);
        std::sort(places.begin(), places.end());
        places.erase(std::unique(places.begin(), places.end()), places.end());
        if (!places.empty()) around.push_back(std::move(places));
    }
    return around;
}

struct Reach {
    std::uint64_t span;    ///< levels from the lowest to the highest place of a transition
    std::uint64_t height;  ///< the highest, counted from 1
};

Reach reach(const std::vector<std::uint32_t>& places, const Levels& levels) {
    std::uint32_t lowest = levels[places.front()], highest = lowest;
    for (const std::uint32_t place : places) {
        lowest = std::min(lowest, levels[place]);
        highest = std::max(highest, levels[place]);
    }
    return {highest - lowest + std::uint64_t{1}, highest + std::uint64_t{1}};
}

std::uint64_t all_spans(const Neighbours& around, const Levels& levels) {
    std::uint64_t sum = 0;
    for (const auto& places : around) sum += reach(places, levels).span;
    return sum;
}

/// The spans, each weighted by how high it reaches.
double weighted_spans(const Neighbours& around, const Levels& levels) {
    double sum = 0;
    for (const auto& places : around) {
        const Reach r = reach(places, levels);
        sum += double(r.span) * double(r.height);
    }
    return sum;
}

/// Moves every place to the mean of the centres of the transitions around it, repeatedly while that makes
/// spans shorter.
void pull_together(const Neighbours& around, Levels& levels) {
    const std::size_t count = levels.size();
    std::uint64_t least = all_spans(around, levels);
    Levels now = levels;
    std::vector<std::pair<double, std::uint32_t>> pulled(count);
    int in_vain = 0;
    for (int round = 0; round < most_rounds && in_vain < rounds_in_vain; ++round) {
        std::vector<double> centres(count, 0);
        std::vector<std::uint32_t> transitions(count, 0);
        for (const auto& places : around) {
            double centre = 0;
            for (const std::uint32_t place : places) centre += now[place];
            centre /= double(places.size());
            for (const std::uint32_t place : places) {
                centres[place] += centre;
                ++transitions[place];
            }
        }
        for (std::uint32_t p = 0; p < count; ++p)
            pulled[p] = {transitions[p] == 0 ? double(now[p]) : centres[p] / transitions[p], p};
        std::stable_sort(pulled.begin(), pulled.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        for (std::uint32_t level = 0; level < count; ++level) now[pulled[level].second] = level;
        const std::uint64_t spans = all_spans(around, now);
        ++in_vain;
        if (spans < least) {
            in_vain = 0;
            least = spans;
            levels = now;
        }
    }
}

using Graph = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::undirectedS,
    boost::property<
        boost::vertex_color_t, boost::default_color_type,
        boost::property<boost::vertex_degree_t, int, boost::property<boost::vertex_priority_t, double>>>>;

/// Places before transitions.
Graph graph_of(const Neighbours& around, std::size_t place_count) {
    Graph graph(place_count + around.size());
    for (std::size_t t = 0; t < around.size(); ++t)
        for (const std::uint32_t place : around[t]) boost::add_edge(place, place_count + t, graph);
    return graph;
}

/// The places among the nodes of a graph, in their order, followed by the missing ones: Boost leaves them out
/// if a graph has several components.
Levels levels_of(const std::vector<std::size_t>& nodes, std::size_t place_count) {
    constexpr std::uint32_t missing = 0xFFFF'FFFF;
    Levels levels(place_count, missing);
    std::uint32_t next = 0;
    for (const std::size_t node : nodes)
        if (node < place_count && levels[node] == missing) levels[node] = next++;
    for (std::uint32_t& level : levels)
        if (level == missing) level = next++;
    return levels;
}

/// Distances of all nodes from one; 0 also if there is no path.
std::vector<std::size_t> distances(Graph& graph, std::size_t from) {
    std::vector<std::size_t> result(boost::num_vertices(graph), 0);
    boost::breadth_first_search(graph, from,
                                boost::visitor(boost::make_bfs_visitor(
                                    boost::record_distances(result.data(), boost::on_tree_edge()))));
    return result;
}

/// Two nodes that are far apart, such that few nodes have the same distance from the second [Sloan86].
/// Boost's own search for them (1.74) counts degrees in a vector that is one too short, and crashes if there
/// are no edges.
std::pair<std::size_t, std::size_t> far_apart(Graph& graph) {
    const auto degree = [&](std::size_t node) { return boost::degree(node, graph); };
    std::size_t start = 0;
    for (std::size_t node = 1; node < boost::num_vertices(graph); ++node)
        if (degree(node) < degree(start)) start = node;
    for (;;) {
        const std::vector<std::size_t> from_start = distances(graph, start);
        const std::size_t depth = *std::max_element(from_start.begin(), from_start.end());
        std::map<std::size_t, std::size_t> ends;  // by degree, the first of each
        for (std::size_t node = 0; node < from_start.size(); ++node)
            if (from_start[node] == depth) ends.emplace(degree(node), node);
        std::size_t end = ends.begin()->second, narrowest = from_start.size() + 1;
        bool deeper = false;
        for (const auto& [unused, node] : ends) {
            const std::vector<std::size_t> from_end = distances(graph, node);
            std::vector<std::size_t> widths(*std::max_element(from_end.begin(), from_end.end()) + 1, 0);
            for (const std::size_t distance : from_end) ++widths[distance];
            const std::size_t width = *std::max_element(widths.begin(), widths.end());
            if (width >= narrowest) continue;
            deeper = widths.size() - 1 > depth;
            if (deeper) {
                start = node;
                break;
            }
            narrowest = width;
            end = node;
        }
        if (!deeper) return {start, end};
    }
}

Levels sloan(const Neighbours& around, std::size_t place_count) {
    Graph graph = graph_of(around, place_count);
    std::vector<std::size_t> nodes(boost::num_vertices(graph));
    const auto [start, end] = far_apart(graph);
    boost::sloan_ordering(graph, start, end, nodes.begin(), boost::get(boost::vertex_color, graph),
                          boost::make_degree_map(graph), boost::get(boost::vertex_priority, graph));
    return levels_of(nodes, place_count);
}

Levels cuthill_mckee(const Neighbours& around, std::size_t place_count) {
    Graph graph = graph_of(around, place_count);
    std::vector<std::size_t> nodes(boost::num_vertices(graph));
    boost::cuthill_mckee_ordering(graph, nodes.begin(), boost::get(boost::vertex_color, graph),
                                  boost::make_degree_map(graph));
    return levels_of(nodes, place_count);
}

/// Reverses the order if that weighs less.
void turn(const Neighbours& around, Levels& levels) {
    Levels turned = levels;
    for (std::uint32_t& level : turned) level = static_cast<std::uint32_t>(levels.size() - 1 - level);
    if (weighted_spans(around, turned) < weighted_spans(around, levels)) levels = std::move(turned);
}

}  // namespace

std::vector<LevelOrder> level_orders(const CompiledNet& net) {
    const std::size_t count = net.place_count();
    if (count == 0) return {{}};
    const Neighbours around = places_around_transitions(net);
    Levels file(count);
    std::iota(file.begin(), file.end(), 0U);
    std::vector<Levels> tried = {file, sloan(around, count), file, cuthill_mckee(around, count)};
    for (std::size_t i = 1; i < tried.size(); ++i) pull_together(around, tried[i]);
    std::vector<LevelOrder> orders;
    for (Levels& levels : tried) {
        turn(around, levels);
        LevelOrder order(count);
        for (std::uint32_t place = 0; place < count; ++place) order[levels[place]] = {place};
        if (std::find(orders.begin(), orders.end(), order) == orders.end())
            orders.push_back(std::move(order));
    }
    return orders;
}

namespace {

/// Adds the arcs of a transition on places of one level.
void add_arcs(Rows<PlaceWeight>& rows, std::span<const PlaceWeight> arcs, const auto& is_here,
              std::span<const std::uint32_t> position_of) {
    for (const auto [place, weight] : arcs)
        if (is_here(place)) rows.append({position_of[place], weight});
    rows.close_row();
}

}  // namespace

DiagramLevels::DiagramLevels(const CompiledNet& net, std::vector<std::vector<std::uint32_t>> places)
    : levels_(places.size()),
      level_of_(net.place_count()),
      position_of_(net.place_count()),
      moves_(net.transition_count()) {
    std::vector<NetArcs> parts(places.size());
    for (std::uint32_t l = 0; l < places.size(); ++l) {
        for (std::uint32_t i = 0; i < places[l].size(); ++i) {
            level_of_[places[l][i]] = l;
            position_of_[places[l][i]] = i;
            parts[l].initial.push_back(net.initial[places[l][i]]);
        }
        levels_[l].places = std::move(places[l]);
    }
    std::vector<std::uint32_t> touched;
    for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
        touched.clear();
        const auto kinds = {net.inputs[t], net.outputs[t], net.inhibitors[t], net.reads[t]};
        for (const auto arcs : kinds)
            for (const auto [place, weight] : arcs) touched.push_back(level_of_[place]);
        std::sort(touched.begin(), touched.end(), std::greater<>());
        touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
        for (const std::uint32_t l : touched) {
            NetArcs& part = parts[l];
            const auto is_here = [&](std::uint32_t place) { return level_of_[place] == l; };
            moves_[t].push_back({l, static_cast<std::uint32_t>(part.urgency.size())});
            add_arcs(part.inputs, net.inputs[t], is_here, position_of_);
            add_arcs(part.outputs, net.outputs[t], is_here, position_of_);
            add_arcs(part.inhibitors, net.inhibitors[t], is_here, position_of_);
            add_arcs(part.reads, net.reads[t], is_here, position_of_);
            part.urgency.emplace_back();
        }
    }
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        levels_[l].targets.resize(parts[l].urgency.size());
        levels_[l].part = compile(std::move(parts[l]));
    }
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

}  // namespace warpnet::states
