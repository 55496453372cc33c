// The levels of a decision diagram. Their order is at the end.
//
// Every arc is about one place, so enabling is a conjunction over levels, and the effect of a firing is
// separate for each level. A level is compiled as a net of its own places and fired by
// engine/compile/firing_rule.hpp. The states of a level are numbered when they are first met [Ciardo03], so
// no bound has to be known before. Unsupported: nets with immediate transitions or priorities, whose
// conditions are about all places, and maximal steps.

#include "analysis/states/diagrams/levels.hpp"

#include "analysis/states/diagrams/nodes.hpp"
#include "analysis/states/linear/invariants.hpp"
#include "engine/compile/firing_rule.hpp"

#include <algorithm>
#include <array>
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

namespace {

// The order of levels decides the cost, and no order is always good. So up to eight are tried in turn, each
// time with four times the work, until one finishes: a bad order costs at most a few times the good one.
//
// First, places that share few tokens by a P-invariant are put together, such as those of a process, of which
// one is marked at a time. They are one level with as many states as the process, so the diagram has a tenth
// of the levels and most transitions touch one or two of them. Nested units [Garavel19] do the same, but only
// files from a process language declare them. Then each place is a level of its own, which is better if the
// tokens of an invariant are many.
//
// There are four orders of levels. The first is the order of the file, in which the places of a part are
// mostly together (best for equal warps, and the only good order of single places for
// GPUForwardProgress-20b). The other three bring levels that share transitions near each other: Sloan's
// algorithm on places and transitions [Meijer16], the order of the file, and that of Cuthill and McKee, the
// last two improved by FORCE [Aloul03]. Sloan's is best or nearly best for nine of ten nets of the Model
// Checking Contest that were tried. The weighted spans of transitions [Siminiceanu06] decide whether an order
// is used as found or reversed, and were right in nearly all of 60 cases.

constexpr int most_rounds = 100;
constexpr int rounds_in_vain = 5;
constexpr std::size_t most_nodes_for_sloan = 3000;  // a second for 6,000: Boost sorts a list at each node
constexpr double most_contents = 400;               // of the places of a level

/// Disjoint sets of all places: each becomes a level.
using Units = std::vector<std::vector<std::uint32_t>>;

/// The units around each transition that has any.
using Neighbours = std::vector<std::vector<std::uint32_t>>;

/// The level of each unit.
using Levels = std::vector<std::uint32_t>;

Neighbours units_around_transitions(const CompiledNet& net, const Units& units) {
    std::vector<std::uint32_t> unit_of(net.place_count());
    for (std::uint32_t u = 0; u < units.size(); ++u)
        for (const std::uint32_t place : units[u]) unit_of[place] = u;
    Neighbours around;
    for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
        std::vector<std::uint32_t> touched;
        for (const auto arcs : {net.inputs[t], net.outputs[t], net.inhibitors[t], net.reads[t]})
            for (const auto [place, weight] : arcs) touched.push_back(unit_of[place]);
        std::sort(touched.begin(), touched.end());
        touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
        if (!touched.empty()) around.push_back(std::move(touched));
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

/// An upper bound of the contents of `places` places with at most `tokens` tokens together.
double contents(std::size_t places, Tokens tokens) {
    double count = 1;
    for (Tokens i = 1; i <= tokens && count <= most_contents; ++i)
        count *= (double(places) + double(i)) / double(i);
    return count;
}

/// Places that share so few tokens by an invariant that they have few contents together, such as those of a
/// process, of which one is marked at a time. Small invariants come first, because the large ones are often
/// those of a resource, across all processes.
Units units_of(const CompiledNet& net) {
    const Invariants found = p_invariants(net, {.max_rows = 2'000, .max_work = 20'000'000});
    std::vector<std::uint8_t> taken(net.place_count(), 0);
    const auto left_of = [&](const Invariant& invariant) {
        std::vector<std::uint32_t> left;
        for (const InvariantTerm term : invariant)
            if (taken[term.node] == 0) left.push_back(term.node);
        return left;
    };
    std::vector<const Invariant*> by_size;
    for (const Invariant& invariant : found.all) by_size.push_back(&invariant);
    std::stable_sort(by_size.begin(), by_size.end(),
                     [](const Invariant* a, const Invariant* b) { return a->size() < b->size(); });
    Units units;
    for (const Invariant* invariant : by_size) {
        std::vector<std::uint32_t> left = left_of(*invariant);
        if (left.size() < 2) continue;
        Tokens tokens = 0;
        for (const InvariantTerm term : *invariant) tokens += term.weight * net.initial[term.node];
        if (contents(left.size(), tokens) > most_contents) continue;
        for (const std::uint32_t place : left) taken[place] = 1;
        units.push_back(std::move(left));
    }
    if (units.empty()) return units;
    for (std::uint32_t place = 0; place < net.place_count(); ++place)
        if (taken[place] == 0) units.push_back({place});
    std::sort(units.begin(), units.end());
    return units;
}

void add_orders(const CompiledNet& net, const Units& units, std::vector<LevelOrder>& orders) {
    const std::size_t count = units.size();
    const Neighbours around = units_around_transitions(net, units);
    Levels file(count);
    std::iota(file.begin(), file.end(), 0U);
    std::vector<Levels> tried = {file, file, cuthill_mckee(around, count)};
    if (count + around.size() <= most_nodes_for_sloan) tried.insert(tried.begin() + 1, sloan(around, count));
    for (std::size_t i = 1; i < tried.size(); ++i) pull_together(around, tried[i]);
    for (Levels& levels : tried) {
        turn(around, levels);
        LevelOrder order(count);
        for (std::uint32_t unit = 0; unit < count; ++unit) order[levels[unit]] = units[unit];
        if (std::find(orders.begin(), orders.end(), order) == orders.end())
            orders.push_back(std::move(order));
    }
}

}  // namespace

std::vector<LevelOrder> level_orders(const CompiledNet& net) {
    if (net.place_count() == 0) return {{}};
    std::vector<LevelOrder> orders;
    if (const Units units = units_of(net); !units.empty()) add_orders(net, units, orders);
    Units single(net.place_count());
    for (std::uint32_t place = 0; place < net.place_count(); ++place) single[place] = {place};
    add_orders(net, single, orders);
    return orders;
}

}  // namespace warpnet::states
