// The walks of a module between its decisions, as a weighted graph, and extremes over walks. A node is a node
// of the automaton, an edge a segment that can be chosen there and one of its targets. The tokens that a
// module holds follow from its node, or the graph is unclear and has no bound.
//
// If a walk uses no supplies, the heaviest one is found along a topological order [Kahn62], and a cycle means
// that there is none. Supplies limit how often an edge can be taken. Then a walk is a flow of one unit with a
// row per node and per supply, and the certified linear program bounds it. Fractional walks make this bound
// larger than the heaviest walk, never smaller.

#include "analysis/worst/bounds/module_graph.hpp"

#include "analysis/states/linear/linear_program.hpp"
#include "engine/base/no_index.hpp"
#include "engine/executors/modules/net.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

namespace warpnet::worst {

namespace {

class GraphBuilder {
  public:
    explicit GraphBuilder(const ModuleNet& parts) : parts_(parts), automaton_(parts.automaton) {
        graph_.hubs = parts.hubs.size();
        graph_.held.assign(automaton_.nodes.size() * graph_.hubs, 0);
        graph_.most_held = graph_.held;
        graph_.reached.assign(automaton_.nodes.size(), 0);
    }

    ModuleGraph build() {
        for (const std::uint32_t start : parts_.start)
            reach(start, std::vector<std::int64_t>(graph_.hubs, 0));
        while (!open_.empty()) {
            const std::uint32_t node = open_.back();
            open_.pop_back();
            leave(node);
        }
        return std::move(graph_);
    }

  private:
    void reach(std::uint32_t node, const std::vector<std::int64_t>& held) {
        const auto known = graph_.held.begin() + static_cast<std::ptrdiff_t>(node * graph_.hubs);
        if (graph_.reached[node] == 0) {
            graph_.reached[node] = 1;
            std::copy(held.begin(), held.end(), known);
            open_.push_back(node);
        } else if (!std::equal(held.begin(), held.end(), known)) {
            graph_.unclear = "what a module holds depends on how it came to where it is";
        }
    }

    /// The edges from a node: one for each segment that can be chosen there and each of its targets.
    void leave(std::uint32_t number) {
        const ModuleNode& node = automaton_.nodes[number];
        const auto row = static_cast<std::ptrdiff_t>(number * graph_.hubs);
        std::vector<std::int64_t> taken(graph_.held.begin() + row,
                                        graph_.held.begin() + row + static_cast<std::ptrdiff_t>(graph_.hubs));
        if (node.kind == ModuleNode::Kind::waiting) {
            for (const auto [hub, weight] : automaton_.demand_classes[node.demand_class])
                taken[hub] += weight;
        }
        for (const std::uint32_t order : moves_from(automaton_, node))
            follow(number, automaton_.segments[automaton_.orders[node.first_order + order]], taken);
    }

    void follow(std::uint32_t number, const Segment& segment, std::vector<std::int64_t> holds) {
        std::vector<std::int64_t> hub_steps(graph_.hubs), most = holds;
        for (std::size_t hub = 0; hub < graph_.hubs; ++hub) hub_steps[hub] = holds[hub] * segment.steps;
        const auto holds_any = [&] {
            return std::ranges::any_of(holds, [](std::int64_t tokens) { return tokens != 0; });
        };
        std::uint32_t holding = 0;
        for (std::uint32_t i = 0; i < segment.at_once + segment.later; ++i) {
            const TimedEffect& effect = automaton_.effects[segment.first_effect + i];
            if (effect.counter >= graph_.hubs) continue;  // a hub loop
            // Tokens that are given in a step are free from the next step on.
            const std::int64_t rest = std::int64_t{segment.steps} - 1 - effect.offset;
            if (holds_any()) holding = std::max(holding, effect.offset + 1);
            hub_steps[effect.counter] -= effect.delta * rest;
            holds[effect.counter] -= effect.delta;
            if (rest > 0) most[effect.counter] = std::max(most[effect.counter], holds[effect.counter]);
        }
        if (holds_any()) holding = segment.steps;
        for (std::size_t hub = 0; hub < graph_.hubs; ++hub) {
            std::int64_t& known = graph_.most_held[number * graph_.hubs + hub];
            known = std::max(known, most[hub]);
        }
        for_each_target(segment, [&](std::uint32_t target, std::span<const PlaceWeight> uses) {
            graph_.edges.push_back({number, target, segment.steps});
            for (const PlaceWeight use : uses) graph_.uses.append(use);
            graph_.uses.close_row();
            graph_.hub_steps.insert(graph_.hub_steps.end(), hub_steps.begin(), hub_steps.end());
            graph_.hub_peaks.insert(graph_.hub_peaks.end(), most.begin(), most.end());
            graph_.holding.push_back(holding);
            reach(target, holds);
        });
    }

    /// Visits the targets of a segment, for any remaining tokens of the supplies that it uses.
    template <class Visit>
    void for_each_target(const Segment& segment, Visit&& visit) const {
        std::vector<PlaceWeight> uses;
        std::size_t targets = 1;
        for (std::uint32_t i = 0; i < segment.uses; ++i) {
            const SupplyUse& use = automaton_.uses[segment.first_use + i];
            uses.push_back({use.supply, static_cast<std::int32_t>(use.weight)});
            if (use.stride > 0) targets *= static_cast<std::size_t>(use.weight) + 1;
        }
        std::vector<std::uint32_t> known;
        for (std::size_t i = 0; i < targets; ++i) {
            const std::uint32_t target = automaton_.targets[segment.first_target + i];
            if (std::find(known.begin(), known.end(), target) != known.end()) continue;
            known.push_back(target);
            visit(target, uses);
        }
    }

    const ModuleNet& parts_;
    const ModuleAutomaton& automaton_;
    ModuleGraph graph_;
    std::vector<std::uint32_t> open_;
};

}  // namespace

ModuleGraph module_graph(const ModuleNet& parts) { return GraphBuilder(parts).build(); }

std::vector<ModuleClass> module_classes(const ModuleNet& parts) {
    std::vector<ModuleClass> classes;
    const std::vector<std::uint32_t> class_of = classes_of_modules(parts);
    for (std::uint32_t module = 0; module < parts.size(); ++module) {
        if (class_of[module] == classes.size()) {
            const auto supplies = parts.start_supplies_of(module).first(parts.supplies[module].size());
            classes.push_back({parts.start[module], {supplies.begin(), supplies.end()}, 0, module});
        }
        ++classes[class_of[module]].modules;
    }
    std::ranges::sort(classes, {}, [](const ModuleClass& one) { return std::tie(one.start, one.supplies); });
    return classes;
}

namespace {

constexpr std::int64_t unreached = -1;

/// The subgraph that the modules of a class can reach, with its nodes renumbered from their start.
struct Reach {
    std::vector<std::uint32_t> number;  ///< per node of the graph
    std::vector<std::uint32_t> nodes;   ///< numbered nodes
    std::vector<std::size_t> edges;     ///< of the graph
    bool uses_supplies = false;
};

Reach reach_of(const ModuleGraph& graph, std::uint32_t start) {
    Reach reach;
    reach.number.assign(graph.reached.size(), no_index);
    const Rows<std::uint32_t> leaving = Rows<std::uint32_t>::sorted(graph.reached.size(), [&](auto put) {
        for (std::size_t edge = 0; edge < graph.edges.size(); ++edge)
            put(graph.edges[edge].from, static_cast<std::uint32_t>(edge));
    });
    reach.number[start] = 0;
    reach.nodes.push_back(start);
    for (std::size_t i = 0; i < reach.nodes.size(); ++i) {
        for (const std::uint32_t edge : leaving[reach.nodes[i]]) {
            reach.edges.push_back(edge);
            reach.uses_supplies |= !graph.uses[edge].empty();
            std::uint32_t& number = reach.number[graph.edges[edge].to];
            if (number != no_index) continue;
            number = static_cast<std::uint32_t>(reach.nodes.size());
            reach.nodes.push_back(graph.edges[edge].to);
        }
    }
    return reach;
}

}  // namespace

std::vector<std::uint8_t> nodes_of(const ModuleGraph& graph, const ModuleClass& modules) {
    std::vector<std::uint8_t> seen(graph.reached.size(), 0);
    for (const std::uint32_t node : reach_of(graph, modules.start).nodes) seen[node] = 1;
    return seen;
}

namespace {

/// Without supplies: along a topological order. Nothing if there is a cycle.
std::optional<std::int64_t> along_order(const ModuleGraph& graph, const Reach& reach,
                                        const EdgeWeight& weight) {
    std::vector<std::uint32_t> incoming(reach.nodes.size(), 0);
    for (const std::size_t edge : reach.edges) ++incoming[reach.number[graph.edges[edge].to]];
    const Rows<std::size_t> leaving = Rows<std::size_t>::sorted(reach.nodes.size(), [&](auto put) {
        for (const std::size_t edge : reach.edges) put(reach.number[graph.edges[edge].from], edge);
    });
    if (incoming[0] > 0) return std::nullopt;
    std::vector<std::int64_t> best(reach.nodes.size(), unreached);
    best[0] = 0;
    std::vector<std::uint32_t> open = {0};
    std::size_t done = 0;
    std::int64_t most = 0;
    while (!open.empty()) {
        const std::uint32_t node = open.back();
        open.pop_back();
        ++done;
        most = std::max(most, best[node]);
        for (const std::size_t edge : leaving[node]) {
            const std::uint32_t to = reach.number[graph.edges[edge].to];
            best[to] = std::max(best[to], best[node] + weight(edge));
            if (--incoming[to] == 0) open.push_back(to);
        }
    }
    if (done < reach.nodes.size()) return std::nullopt;
    return most;
}

/// A walk as a flow of one unit: a row for each node, a row for each supply.
struct WalkProgram {
    states::LinearProgram program;
    std::vector<std::uint32_t> supply_rows;
};

WalkProgram walk_program(const ModuleGraph& graph, const Reach& reach, const ModuleClass& modules,
                         const EdgeWeight& weight, std::int64_t sign,
                         states::LinearProgram::Sense supply_sense) {
    WalkProgram walk;
    states::LinearProgram& program = walk.program;
    for (std::size_t node = 0; node < reach.nodes.size(); ++node)
        program.add_row(states::LinearProgram::Sense::equal, node == 0 ? 1 : 0);
    for (const Tokens tokens : modules.supplies)
        walk.supply_rows.push_back(program.add_row(supply_sense, tokens));
    for (const std::size_t edge : reach.edges) {
        const std::uint32_t column = program.add_column(sign * weight(edge));
        program.add_entry(reach.number[graph.edges[edge].from], column, 1);
        program.add_entry(reach.number[graph.edges[edge].to], column, -1);
        for (const auto [supply, tokens] : graph.uses[edge])
            program.add_entry(walk.supply_rows[supply], column, tokens);
    }
    return walk;
}

}  // namespace

std::optional<std::int64_t> heaviest_walk(const ModuleGraph& graph, const ModuleClass& modules,
                                          const EdgeWeight& weight, std::optional<std::int64_t> most_edges) {
    const Reach reach = reach_of(graph, modules.start);
    if (!reach.uses_supplies) return along_order(graph, reach, weight);
    WalkProgram walk = walk_program(graph, reach, modules, weight, 1, states::LinearProgram::Sense::at_most);
    for (std::uint32_t node = 0; node < reach.nodes.size(); ++node)  // a walk may end anywhere
        walk.program.add_entry(node, walk.program.add_column(0), 1);
    std::optional<std::int64_t> most_columns;
    if (most_edges) most_columns = *most_edges + 1;
    const states::CertifiedMaximum result = states::certified_maximum(walk.program, most_columns);
    if (result.status != states::BoundStatus::bounded) return std::nullopt;
    return result.value;
}

std::optional<std::int64_t> lightest_walk(const ModuleGraph& graph, const ModuleNet& parts,
                                          const ModuleClass& modules, const EdgeWeight& weight,
                                          std::int64_t most_edges) {
    const ModuleAutomaton& automaton = parts.automaton;
    const Reach reach = reach_of(graph, modules.start);
    // If every end states how much of its supplies is left, the rest was used on the way there.
    const auto& supply_places = parts.supplies[modules.first];
    const auto& places = parts.places[modules.first];
    const auto left_at = [&](std::uint32_t node, std::size_t supply) {
        const auto at = std::lower_bound(places.begin(), places.end(), supply_places[supply]);
        return automaton.markings[node][static_cast<std::size_t>(at - places.begin())];
    };
    std::vector<std::uint32_t> ends;
    for (const std::uint32_t node : reach.nodes) {
        if (automaton.nodes[node].kind == ModuleNode::Kind::over) ends.push_back(node);
    }
    if (ends.empty()) return std::nullopt;
    WalkProgram walk = walk_program(graph, reach, modules, weight, -1, states::LinearProgram::Sense::equal);
    for (const std::uint32_t node : ends) {
        const std::uint32_t column = walk.program.add_column(0);
        walk.program.add_entry(reach.number[node], column, 1);
        for (std::size_t supply = 0; supply < modules.supplies.size(); ++supply)
            walk.program.add_entry(walk.supply_rows[supply], column, left_at(node, supply));
    }
    // A node with tokens left in a supply may represent more tokens than it states.
    for (std::size_t supply = 0; supply < modules.supplies.size(); ++supply) {
        if (std::any_of(ends.begin(), ends.end(),
                        [&](std::uint32_t node) { return left_at(node, supply) > 0; }))
            walk.program.add_entry(walk.supply_rows[supply], walk.program.add_column(0), 1);
    }
    const states::CertifiedMaximum result = states::certified_maximum(walk.program, most_edges + 1);
    if (result.status != states::BoundStatus::bounded) return std::nullopt;
    return -result.value;
}

}  // namespace warpnet::worst
